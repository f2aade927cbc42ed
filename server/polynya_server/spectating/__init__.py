"""Sends matches to spectators, live or after a delay."""
