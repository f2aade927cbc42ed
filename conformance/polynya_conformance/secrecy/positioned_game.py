"""A game whose matches begin in a given position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from polynya_games import Game, State


class _PositionedGame:
    """Stands for another game, but each of its set-ups is the same position."""

    def __init__(self, game: Game, state: State) -> None:
        self._game = game
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def initial_state(
        self, players: int, origin: int | bytes = 0, options: Mapping[str, Any] | None = None
    ) -> State:
        """See :meth:`~polynya_games.Game.initial_state`."""
        del players, origin, options
        return self._state


def positioned(game: Game, state: State) -> Game:
    """The game, with matches that begin in ``state``, a position between turns."""
    return cast("Game", _PositionedGame(game, state))
