"""Runs one tournament from its description to its table.

It draws, schedules and plays the matches, and ends the tournament.
"""
