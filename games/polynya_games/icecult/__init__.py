"""Ice Cult: tip the blocks, and lead five pawns out of the cold along the arrows on top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.game import Game, Option
from polynya_games.icecult.board import SEATS, TURN_LIMIT
from polynya_games.icecult.document import read_state
from polynya_games.icecult.encoding import encoding
from polynya_games.icecult.refusals import REFUSALS
from polynya_games.icecult.rules import IceCultState
from polynya_games.icecult.setup import initial_state
from polynya_games.icecult.whole_turns import successors, turns

__all__ = ["ICECULT", "IceCult", "IceCultState", "successors", "turns"]


class IceCult(Game):
    """The game: five pawns each, four paths out of the cold and four blocks in the middle."""

    name = "icecult"
    title = "Ice Cult"
    min_players = min(SEATS)
    max_players = max(SEATS)
    options = (
        Option(
            "setup",
            "shuffled",
            "how the blocks stand at first: shuffled, standard or scrambled",
        ),
        Option(
            "blocks",
            None,
            "the four blocks as they stand at first, by position, each six faces (top, bottom, "
            "north, east, south, west) as [symbol, direction or null]; excludes setup",
        ),
        Option(
            "turn_limit",
            TURN_LIMIT,
            "the number of the turn, counted over all players, with which the match ends at the "
            "latest: an integer, at least 1",
        ),
    )
    refusals = REFUSALS

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> IceCultState:
        """The position before the first tip.

        Raises:
            InvalidOption: another number of players than 2 to 4, no such seed or option.
        """
        given = options or {}
        self.check_setup(players, seed, given)
        return initial_state(players, seed, given)

    def state_from_json(self, data: object) -> IceCultState:
        """The position that a document of the form of ``IceCultState.to_json`` describes.

        Raises:
            InvalidState: the document has another form, or contradicts itself.
        """
        return read_state(data, IceCultState)

    def scores_so_far(self, state: IceCultState) -> tuple[int, ...]:
        """The pawns that each seat has in the goal."""
        return state.in_goal

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for training bots."""
        return encoding(players, self.setup(players, 0, options).turn.limit)


ICECULT = IceCult()
