"""Validates an uploaded version by matches, in separate processes."""
