"""Tournaments in the database: planned, drawn, entrants, progress, table."""
