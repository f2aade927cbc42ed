"""Packeis am Pol, also known as Hey, That's My Fish!: collect floes until no penguin can move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.game import Game, Option
from polynya_games.packeis.document import read_state
from polynya_games.packeis.encoding import encoding
from polynya_games.packeis.position import PENGUINS
from polynya_games.packeis.refusals import REFUSALS
from polynya_games.packeis.rules import PackeisState
from polynya_games.packeis.setup import initial_state

__all__ = ["PACKEIS", "Packeis", "PackeisState"]


class Packeis(Game):
    """The game: 60 floes in rows, on which the seed lays out the fish."""

    name = "packeis"
    title = "Packeis am Pol"
    min_players = min(PENGUINS)
    max_players = max(PENGUINS)
    options = (
        Option(
            "layout",
            "random",
            "how the seed lays out the fish: random, or even: each quarter of the usual board "
            "holds five floes with two fish, and two or three with three",
        ),
        Option(
            "rows",
            None,
            "the board, rows from north to south as [length, indent in half floes] or as lists of "
            "such segments: 60 connected floes",
        ),
        Option(
            "fish",
            None,
            "the fish on each floe by cell, 60 numbers from 1 to 3 with as many ones as penguins",
        ),
    )
    refusals = REFUSALS

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> PackeisState:
        """The position before the first penguin is placed.

        Raises:
            InvalidOption: another number of players than 2 to 4, no such seed, or no such option.
        """
        given = options or {}
        self.check_setup(players, seed, given)
        return initial_state(players, seed, given)

    def state_from_json(self, data: object) -> PackeisState:
        """The position that a document of the form of ``PackeisState.to_json`` describes.

        Raises:
            InvalidState: the document has another form, or contradicts itself.
        """
        return read_state(data, PackeisState)

    def scores_so_far(self, state: PackeisState) -> tuple[int, ...]:
        """The fish that each seat has caught."""
        return state.fish_caught

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for training bots."""
        layout = self.setup(players, 0, options).layout
        return encoding(players, layout.board, sum(layout.fish))


PACKEIS = Packeis()
