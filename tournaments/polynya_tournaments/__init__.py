"""Tournaments: schedule, runner, ratings, store, reports and the command line."""
