"""Arktia: build with muglus on the ice, cut the others off, melt what is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.arktia.document import read_state
from polynya_games.arktia.encoding import encoding
from polynya_games.arktia.position import NEUTRALS, ROUND_LIMIT
from polynya_games.arktia.refusals import REFUSALS
from polynya_games.arktia.rules import ArktiaState
from polynya_games.arktia.setup import initial_state
from polynya_games.encoding import Encoding
from polynya_games.game import Game, Option

__all__ = ["ARKTIA", "Arktia", "ArktiaState"]


class Arktia(Game):
    """Build with muglus on the ice, cut the others off, and melt what is left."""

    name = "arktia"
    title = "Arktia"
    min_players = min(NEUTRALS)
    max_players = max(NEUTRALS)
    options = (
        Option(
            "neutrals",
            None,
            "whether neutral muglus take part: true with 2 players, true or false (the default) "
            "with 3, false with 4",
        ),
        Option(
            "rows",
            None,
            "the board, rows from north to south as [length, indent in half tiles] or as lists of "
            "such segments: connected, from as many tiles as muglus in the opening to 127",
        ),
        Option(
            "round_limit",
            ROUND_LIMIT,
            "the match is over after this number of rounds of the main phase: an integer from 1",
        ),
    )
    refusals = REFUSALS

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> ArktiaState:
        """The empty board; nothing is random, so every seed gives the same."""
        given = options or {}
        self.check_setup(players, seed, given)
        return initial_state(players, given)

    def state_from_json(self, data: object) -> ArktiaState:
        """The position that a document describes."""
        return read_state(data, ArktiaState)

    def scores_so_far(self, state: ArktiaState) -> tuple[int, ...]:
        """The points that each seat would have if the match ended now."""
        return state.points

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for training bots."""
        return encoding(self.setup(players, 0, options).rules)


ARKTIA = Arktia()
