"""Ice Cult, for 2 to 4 players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.errors import InvalidOption
from polynya_games.game import Game, Option
from polynya_games.icecult.counts import pack
from polynya_games.icecult.document import MOST_TURNS, state_from_json
from polynya_games.icecult.encoding import encoding
from polynya_games.icecult.paths import EMPTY, PAWNS
from polynya_games.icecult.setup import SETUPS
from polynya_games.icecult.state import IceCultState
from polynya_games.icecult.turn import Turn
from polynya_games.icecult.whole_turns import successors, turns
from polynya_games.turns import describe

__all__ = ["ICECULT", "IceCult", "IceCultState", "successors", "turns"]


class IceCult(Game):
    """The game: five pawns each, four paths out of the cold and four blocks in the middle."""

    name = "icecult"
    title = "Ice Cult"
    options = (
        Option(
            "setup",
            "shuffled",
            "how the blocks stand at first: shuffled, standard or scrambled",
        ),
        Option(
            "turn_limit",
            200,
            "the number of the turn, counted over all players, with which the match ends at the "
            "latest: an integer, at least 1",
        ),
    )

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> IceCultState:
        """The position before the first tip.

        Raises:
            InvalidOption: another number of players than 2 to 4, no such seed or option.
        """
        given = {"setup": "shuffled", "turn_limit": 200, **(options or {})}
        self.check_setup(players, seed, given)
        arrangement, limit = given["setup"], given["turn_limit"]
        if type(arrangement) is not str or arrangement not in SETUPS:
            raise InvalidOption(f"setup is one of {', '.join(SETUPS)}, not {describe(arrangement)}")
        if type(limit) is not int or not 1 <= limit <= MOST_TURNS:
            raise InvalidOption(
                f"turn_limit is an integer from 1 to {MOST_TURNS}, not {describe(limit)}"
            )
        return IceCultState(
            turn=Turn(players, limit),
            cubes=SETUPS[arrangement](seed),
            paths=(EMPTY,) * 4,
            start=pack((PAWNS,) * 4),
            goal=0,
        )

    def state_from_json(self, data: object) -> IceCultState:
        """The position that a document of the form of ``IceCultState.to_json`` describes.

        Raises:
            InvalidState: the document has another form, or describes a position that cannot be.
        """
        return state_from_json(data)

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for those who train bots."""
        return encoding(players, self.setup(players, 0, options).turn.limit)


ICECULT = IceCult()
