"""The errors of a server that its callers see."""

from __future__ import annotations


class ServerError(Exception):
    """A server refuses what its caller asks for."""


class ServerStoppingError(ServerError):
    """A match was to be played by a server that stops."""


NO_NEW_MATCHES = "the server plays no new matches: it is shutting down"
"""The message of :class:`ServerStoppingError` for a match that has not begun."""
