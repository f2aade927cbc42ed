"""Bots across their connections.

Handshake, tokens, registry, and the seat that a connected bot plays on.
"""
