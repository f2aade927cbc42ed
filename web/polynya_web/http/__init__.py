"""Requests and responses: bodies, parameters, tokens, sessions, security headers."""
