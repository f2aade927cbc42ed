"""Ratings in the database, applied in the order of the schedule."""
