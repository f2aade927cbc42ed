"""Plays the ladder of a standing server.

It pairs bots by rating, suspends failing bots, and obeys the operator.
"""
