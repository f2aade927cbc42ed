"""Refusals of games as reasons, for the record and for people."""

from __future__ import annotations

from polynya_common.reasons import Cause, Reason, cause_of
from polynya_games import GameError


def cause_of_refusal(error: BaseException, game: str) -> Cause:
    """Why something of a game was refused.

    A refusal of the game itself has its code and fields, or a sentence if the game gives none;
    another error the reason that it was raised with.
    """
    if isinstance(error, GameError) and error.code is not None:
        return Reason(error.code, dict(error.fields), game=game, text=str(error))
    return cause_of(error)
