"""Moves bytes between sockets and frames: listener, connections, limits, TLS.

It knows the protocol and nothing above it.
"""
