"""Bots and servers tried against the protocol: ``polynya check``."""
