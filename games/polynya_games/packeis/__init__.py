"""Packeis am Pol, also known as Hey, That's My Fish!, for 2 to 4 players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.game import Game, Option
from polynya_games.packeis.bits import ALL_CELLS
from polynya_games.packeis.document import state_from_json
from polynya_games.packeis.encoding import encoding
from polynya_games.packeis.options import layout_of
from polynya_games.packeis.state import PackeisState

__all__ = ["PACKEIS", "Packeis", "PackeisState"]


class Packeis(Game):
    """The game: 60 floes in rows, on which the seed lays out the fish."""

    name = "packeis"
    title = "Packeis am Pol"
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

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> PackeisState:
        """The position before the first penguin is placed.

        Raises:
            InvalidOption: another number of players than 2 to 4, no such seed, or no such option.
        """
        given = options or {}
        self.check_setup(players, seed, given)
        return PackeisState(
            layout=layout_of(players, seed, given),
            free=ALL_CELLS,
            penguins=(0,) * players,
            catches=(0,) * players,
            out=(False,) * players,
            forfeited=(),
            phase="placement",
            to_move=0,
            clears=False,
        )

    def state_from_json(self, data: object) -> PackeisState:
        """The position that a document of the form of ``PackeisState.to_json`` describes.

        Raises:
            InvalidState: the document has another form, or no match can come to that position.
        """
        return state_from_json(data)

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for those who train bots."""
        layout = self.setup(players, 0, options).layout
        return encoding(players, layout.board, sum(layout.fish))


PACKEIS = Packeis()
