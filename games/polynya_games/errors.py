"""The errors of the rules: each one's message is a sentence that a bot's author can act on."""

# ruff: noqa: N818 -- the names say what is wrong, and they all end up in ``except`` clauses

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class GameError(ValueError):
    """Anything that the rules refuse.

    Attributes:
        code: names the rule that refuses, in the table ``refusals`` of the game; None where there
            is only a sentence.
        fields: the values in the sentence by name, plain JSON values.
    """

    def __init__(
        self, message: str = "", code: str | None = None, fields: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.fields: Mapping[str, Any] = fields or {}


class UnknownGame(GameError):
    """No installed package registers a game of this name."""


class RulesFailed(Exception):
    """The rules themselves gave no usable answer, and no bot is to blame.

    It is no :class:`GameError`: nothing was refused. A match in which it happens is annulled.

    Attributes:
        game: the name of the game.
        question: what was asked, as JSON, shortened; for the operator.
        output: the last lines that the rules' program wrote about it, printable; for the operator.
    """

    def __init__(self, message: str, game: str = "", question: str = "", output: str = "") -> None:
        super().__init__(message)
        self.game = game
        self.question = question
        self.output = output


class InvalidOption(GameError):
    """A number of players, a seed or a set-up option that the game does not have."""


class NoEncoding(GameError):
    """A game that does not say how its positions and steps become numbers."""


class InvalidBoard(GameError):
    """A board that pages cannot show: too large, of another form, or with more than shapes."""


class InvalidState(GameError):
    """A state document that is not of the game's form, or a position that cannot be."""


class InvalidStep(GameError):
    """A step of the wrong form: an unknown verb, a missing argument, a float for an integer."""


class IllegalStep(GameError):
    """A well-formed step that the position does not allow."""


class IllegalForfeit(GameError):
    """A forfeit by a seat that is not there or already out, or in the middle of a turn."""


class IllegalTurn(GameError):
    """A list of steps that is not one whole legal turn.

    Attributes:
        index: the first bad step, counted from 0; the number of steps where the turn is unfinished;
            None where the list itself is of the wrong form.
    """

    def __init__(
        self,
        index: int | None,
        message: str,
        code: str | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, code, fields)
        self.index = index


def describe(value: object, limit: int = 120) -> str:
    """A peer's value as JSON text for a sentence, cut to ``limit`` characters."""
    try:
        text = json.dumps(value, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
