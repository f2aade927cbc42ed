"""The boards of games as pictures: each in the module that has the game's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, cast

from polynya_web.pictures.canvas import Canvas
from polynya_web.pictures.hexagons import Step

GAMES = frozenset(module.name for module in iter_modules(__path__))
"""The games that have a board of their own; ``static/boards/games.js`` has the same."""


class Board(Protocol):
    """The functions of a module here."""

    def size(self, state: Mapping[str, Any], /) -> tuple[float, float]:
        """Width and height of a position, in units of its drawing."""

    def draw(
        self, canvas: Canvas, state: Mapping[str, Any], step: Step | None, /
    ) -> Iterator[None]:
        """Draw a position, and mark the step that led to it, piece by piece."""


def board_of(game: str) -> Board | None:
    """The board of a game; None for one without."""
    return cast("Board", import_module(f"{__name__}.{game}")) if game in GAMES else None
