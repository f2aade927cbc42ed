"""Matches as spectators are sent them, at once or after a delay."""
