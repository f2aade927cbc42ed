"""What a server refuses to those who run it."""

from __future__ import annotations


class ServerError(Exception):
    """What a server refuses to those who run it."""


class ServerStoppingError(ServerError):
    """A match was to be played by a server that stops."""


NO_NEW_MATCHES = "the server plays no new matches: it is shutting down"
"""Why a match that was to begin does not."""
