"""Plays a tournament on many machines: blocks are Dask tasks, and one process records the results.

The coordinator plans, submits and records; a worker referees each block in a separate process.
"""
