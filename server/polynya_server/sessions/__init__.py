"""Bots across their connections: handshake, tokens, registry, remote seats."""
