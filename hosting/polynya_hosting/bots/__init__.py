"""Hosted bots: their versions, and their supervised processes."""
