"""Matches as one seat or the spectators may know them: told event by event, and as frames."""
