"""Packeis am Pol, also known as Hey, That's My Fish!, for 2 to 4 players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.game import Game
from polynya_games.packeis.board import ALL_CELLS
from polynya_games.packeis.document import state_from_json
from polynya_games.packeis.encoding import encoding
from polynya_games.packeis.setup import fish_layout
from polynya_games.packeis.state import PackeisState

__all__ = ["PACKEIS", "Packeis", "PackeisState"]


class Packeis(Game):
    """The game: 60 floes whose fish the seed lays out, no options."""

    name = "packeis"
    title = "Packeis am Pol"

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> PackeisState:
        """The position before the first penguin is placed.

        Raises:
            InvalidOption: another number of players than 2 to 4, no such seed, or any option.
        """
        self.check_setup(players, seed, options or {})
        return PackeisState(
            layout=fish_layout(seed),
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
        self.check_setup(players, 0, options or {})
        return encoding(players)


PACKEIS = Packeis()
