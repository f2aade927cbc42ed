"""Hosted bots: their versions and starter kits, and their supervised processes."""
