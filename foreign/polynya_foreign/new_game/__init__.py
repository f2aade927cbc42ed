"""Writes game folders that work at once, for authors to change."""
