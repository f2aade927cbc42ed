"""Errors of the server for its callers, and refusals of games as reasons for the record."""

from __future__ import annotations

from polynya_common.reasons import Cause, Reason, cause_of
from polynya_games import GameError


class ServerError(Exception):
    """A server refuses what its caller asks for."""


class ServerStoppingError(ServerError):
    """A match was to be played by a server that stops."""


NO_NEW_MATCHES = "the server plays no new matches: it is shutting down"
"""The message of :class:`ServerStoppingError` for a match that has not begun."""


def cause_of_refusal(error: BaseException, game: str) -> Cause:
    """Why something of a game was refused.

    A refusal of the game itself has its code and fields, or a sentence if the game gives none;
    another error the reason that it was raised with.
    """
    if isinstance(error, GameError) and error.code is not None:
        return Reason(error.code, dict(error.fields), game=game, text=str(error))
    return cause_of(error)
