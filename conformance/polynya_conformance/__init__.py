"""Checks bots and servers against the protocol: ``polynya check``."""
