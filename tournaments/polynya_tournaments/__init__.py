"""Plays contests: tournaments, ladders, distributed matches, and uploaded bots."""
