"""Descriptions of tournaments: the values, and every mistake named with its key."""
