"""Matches as they are played, sent to every browser that watches."""
