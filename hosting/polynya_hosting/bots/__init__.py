"""Bots that the host starts: what they are, and their supervised processes."""
