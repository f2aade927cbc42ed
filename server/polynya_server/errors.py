"""Errors that the server raises to its callers, and reasons made of games' refusals."""

from __future__ import annotations

from polynya_common.reasons import Cause, Reason, cause_of
from polynya_games import GameError


class ServerError(Exception):
    """The server refuses a caller's request."""


class ServerStoppingError(ServerError):
    """The server is stopping and plays no new match."""


NO_NEW_MATCHES = "the server plays no new matches: it is shutting down"
"""The message of :class:`ServerStoppingError` for a match that has not begun."""


def cause_of_refusal(error: BaseException, game: str) -> Cause:
    """Turn an error into the reason to record.

    A game's own refusal keeps its code and fields, or its sentence if the game gives none; any
    other error keeps the reason that it was raised with.
    """
    if isinstance(error, GameError) and error.code is not None:
        return Reason(error.code, dict(error.fields), game=game, text=str(error))
    return cause_of(error)
