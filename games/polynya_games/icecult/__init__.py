"""Ice Cult, for 2 to 4 players."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.errors import InvalidOption, InvalidState
from polynya_games.game import Game, Option
from polynya_games.icecult.block_reading import read_blocks
from polynya_games.icecult.blocks import Cube
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
            "blocks",
            None,
            "the four blocks as they stand at first, by position, each six faces (top, bottom, "
            "north, east, south, west) as [symbol, direction or null]; excludes setup",
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
        given = options or {}
        self.check_setup(players, seed, given)
        return IceCultState(
            turn=Turn(players, _turn_limit(given.get("turn_limit", 200))),
            cubes=_cubes(seed, given),
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


def _cubes(seed: int, options: Mapping[str, Any]) -> tuple[Cube, ...]:
    """The cubes at the four positions at the beginning."""
    if "blocks" not in options:
        arrangement = options.get("setup", "shuffled")
        if type(arrangement) is not str or arrangement not in SETUPS:
            raise InvalidOption(f"setup is one of {', '.join(SETUPS)}, not {describe(arrangement)}")
        return SETUPS[arrangement](seed)
    if "setup" in options:
        raise InvalidOption("blocks and setup exclude each other: give one of them")
    try:
        return read_blocks(options["blocks"])
    except InvalidState as error:
        raise InvalidOption(str(error)) from error


def _turn_limit(limit: object) -> int:
    if type(limit) is int and 1 <= limit <= MOST_TURNS:
        return limit
    raise InvalidOption(f"turn_limit is an integer from 1 to {MOST_TURNS}, not {describe(limit)}")


ICECULT = IceCult()
