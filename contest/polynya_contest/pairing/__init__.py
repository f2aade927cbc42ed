"""Pairing: designs, formats, schedules, seeds and standings.

Pure functions of the description and of the results so far.
"""
