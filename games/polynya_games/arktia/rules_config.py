"""The options of a match, which never change in it."""

from __future__ import annotations

import msgspec

from polynya_games.arktia.board import Board
from polynya_games.rows import Rows

NEUTRALS = {2: (True,), 3: (False, True), 4: (False,)}
"""By number of players: whether neutral muglus can take part, the default first."""
MUGLUS = 9
"""Each player's muglus: three of each kind."""
NEUTRAL_MUGLUS = 3
"""The neutral muglus that each player places: one of each kind."""
OPENING_MUGLUS = 2
"""The muglus of their own that each player places before the main phase."""
ROUND_LIMIT = 60
"""The rounds of the main phase, unless the host says otherwise."""
ROWS: dict[int, Rows] = {
    24: ((4, 2), (5, 1), (6, 0), (5, 1), (4, 2)),
    27: ((3, 5), (4, 4), (5, 3), (6, 2), (5, 3), (4, 4)),
    36: ((3, 3), (4, 2), (5, 1), (6, 0), (6, 1), (5, 2), (4, 3), (3, 4)),
}
"""By number of tiles: the usual board's rows (rules, "Board")."""


class RulesConfig(msgspec.Struct, frozen=True):
    """The constants of a match.

    Attributes:
        players: 2 to 4.
        neutrals: whether there are muglus of the neutral colour, which is number ``players``.
        board: the tiles before any is melted.
        round_limit: the number of rounds of the main phase after which the match is over.
    """

    players: int
    neutrals: bool
    board: Board
    round_limit: int

    @property
    def colours(self) -> range:
        """The colours in play, the neutral one last."""
        return range(self.players + self.neutrals)

    @property
    def everyone(self) -> int:
        """The mask of all seats."""
        return (1 << self.players) - 1


def muglus_in_play(players: int, neutrals: bool) -> int:
    """All muglus of a match, which is also the number of tiles of its usual board."""
    return players * (MUGLUS + (NEUTRAL_MUGLUS if neutrals else 0))


def muglus_in_opening(players: int, neutrals: bool) -> int:
    """The muglus that are placed before the main phase, each on a tile of its own."""
    return players * (OPENING_MUGLUS + (NEUTRAL_MUGLUS if neutrals else 0))
