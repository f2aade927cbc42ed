"""Matches on many machines: blocks of a tournament are tasks of Dask, and one process records them.

The coordinator plans, submits and records; a worker referees a block in a process of its own.
"""
