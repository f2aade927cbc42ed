"""A position, the steps that it allows, and whose turn comes next in it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from polynya_games.arktia.board import Board
from polynya_games.arktia.stacks import (
    ALL,
    CELLS,
    CODE,
    CODE_AT,
    CONTROL,
    DISCS,
    GLOBES,
    HELD,
    LIFTED,
    LIFTS,
    MERGED,
    OCCUPIED,
    OWNER,
    SIZE,
    TORI,
    TORI_WITH_DISC,
    choices,
    muglus,
    split_colour,
)
from polynya_games.cells import Rows, cells_of
from polynya_games.game import Outcome, Step, Termination
from polynya_games.ranking import ranking

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


class Position(msgspec.Struct, frozen=True, gc=False):
    """A position (rules, "State"), without what steps make of it.

    Masks have one bit per cell or seat.

    Attributes:
        rules: what never changes in the match.
        packed: all stacks, see :mod:`polynya_games.arktia.stacks`.
        ice: the mask of the tiles that have not melted.
        reserves: one per seat, see :mod:`polynya_games.arktia.stacks`.
        neutral_reserves: the same of the neutral colour.
        taken: the muglus each seat has taken.
        melted: the tiles each seat has melted.
        out: the mask of the seats that are out.
        forfeited: the seats that forfeited, in that order.
        phase: "neutral", "opening", "main" or "over".
        round: the round of the main phase, from 1; 0 before it.
        to_move: the seat to move, None when the match is over.
        owes: what the seat still has to do in this turn, "keep" or "melt"; None between turns.
    """

    rules: RulesConfig
    packed: int
    ice: int
    reserves: tuple[int, ...]
    neutral_reserves: tuple[int, ...]
    taken: tuple[int, ...]
    melted: tuple[int, ...]
    out: int = 0
    forfeited: tuple[int, ...] = ()
    phase: str = "opening"
    round: int = 0
    to_move: int | None = 0
    owes: str | None = None

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.rules.players

    @property
    def turn_over(self) -> bool:
        """Whether no turn is under way."""
        return self.owes is None

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each seat if the match ended now: tiles, muglus taken, tiles melted."""
        controlled = self.packed >> CONTROL
        return tuple(
            (controlled >> CELLS * seat & ALL).bit_count() + taken + melted
            for seat, (taken, melted) in enumerate(zip(self.taken, self.melted, strict=True))
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, None while it goes on."""
        if self.to_move is not None:
            return None
        points = self.points
        return Outcome(self._termination, ranking(points, self.forfeited), points)

    @property
    def _termination(self) -> Termination:
        if len(self.forfeited) == self.players - 1:
            return Termination.FORFEIT
        return Termination.FINISHED if self.out == self.rules.everyone else Termination.LIMIT

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted."""
        return legal_steps(self)


def legal_steps(state: Position) -> list[Step]:
    """All legal steps of a position, sorted."""
    if state.to_move is None:
        return []
    if state.owes == "keep":
        return _keeps(state)
    if state.owes == "melt":
        return [("melt", cell) for cell in cells_of(melts(state))]
    if state.phase == "main":
        return [*_moves(state, state.to_move), *_places(state, state.to_move), ("retire",)]
    if state.phase == "opening":
        return _places(state, state.to_move)
    held = HELD[state.neutral_reserves[state.to_move]]
    cells = list(cells_of(placements(state)))
    return [("neutral", kind, cell) for kind in held for cell in cells]


def placements(state: Position) -> int:
    """The cells on which the player to move may place a muglu of any kind in its reserve.

    The muglus that a new one has to touch are one group: the neutral ones, all there are, or the
    seat's own. So their joining cells are the cells next to it, and every cell as long as there is
    none.
    """
    packed, seat = state.packed, state.to_move
    if state.phase == "neutral":
        touched = packed >> CELLS * state.rules.players & ALL
    else:
        touched = packed >> CELLS * (seat or 0) & ALL
        if not touched:
            touched = packed >> OCCUPIED & ALL
    return state.rules.board.joins(touched) & state.ice & ~(packed >> OCCUPIED)


def melts(state: Position) -> int:
    """The tiles that may be melted."""
    return state.rules.board.meltable(state.ice) & ~(state.packed >> OCCUPIED)


def landings(packed: int, ice: int) -> tuple[int, int, int, int]:
    """The cells on which a lifted part may land, by its landing (see ``stacks.LANDING``)."""
    empty = ice & ~(packed >> OCCUPIED)
    return (
        empty | ((packed >> DISCS | packed >> TORI_WITH_DISC) & ALL),
        empty | (packed >> TORI & ALL),
        empty | (packed >> GLOBES & ALL),
        empty,
    )


def goals(board: Board, packed: int, ice: int, seat: int) -> Iterator[tuple[int, int, int]]:
    """Each cell and count from which a seat can move, with the mask of the cells to which."""
    own = packed >> CELLS * seat & ALL
    own_joins = board.joins(own)
    land = landings(packed, ice)
    controlled = packed >> CONTROL + CELLS * seat & ALL
    while controlled:
        low = controlled & -controlled
        controlled ^= low
        start = low.bit_length() - 1
        reach = board.reach(start, ice)
        for count, landing, stays in LIFTS[packed >> CODE_AT[start] & CODE]:
            goal = reach & land[landing] & (own_joins if stays else board.joins(own ^ low))
            if goal:
                yield start, count, goal


def may_move(state: Position, seat: int, start: int, count: int, goal: int) -> bool:
    """Whether a seat may move ``count`` muglus from one cell to another, for any numbers."""
    packed, board = state.packed, state.rules.board
    if not 0 <= start < board.cells or not 0 <= goal < board.cells:
        return False
    own = packed >> CELLS * seat & ALL
    code, below = packed >> CODE_AT[start] & CODE, packed >> CODE_AT[goal] & CODE
    if OWNER[code] != seat or not 0 < count <= len(LIFTS[code]):
        return False
    if not MERGED[below][LIFTED[code][count]]:
        return False
    stays = LIFTS[code][count - 1][2]
    joins = board.joins(own if stays else own ^ 1 << start)
    return bool(board.reach(start, state.ice) & joins & 1 << goal)


def can_act(board: Board, packed: int, ice: int, reserve: int, seat: int) -> bool:
    """Whether a seat whose turn comes in the main phase can place or move."""
    own = packed >> CELLS * seat & ALL
    empty = ice & ~(packed >> OCCUPIED)
    if reserve and board.joins(own) & empty:
        return True
    controlled = packed >> CONTROL + CELLS * seat & ALL
    while controlled:  # the usual case: a whole stack can go to an empty tile
        low = controlled & -controlled
        controlled ^= low
        if board.reach(low.bit_length() - 1, ice) & empty & board.joins(own & ~low):
            return True
    return next(goals(board, packed, ice, seat), None) is not None


def _moves(state: Position, seat: int) -> list[Step]:
    steps = []
    board = state.rules.board
    for start, count, mask in goals(board, state.packed, state.ice, seat):
        moves = board.moves[start][count]
        while mask:
            low = mask & -mask
            mask ^= low
            steps.append(moves[low])
    return steps


def _places(state: Position, seat: int) -> list[Step]:
    held = HELD[state.reserves[seat]]
    if not held:
        return []
    cells = [1 << cell for cell in cells_of(placements(state))]
    return [
        places[cell]
        for kind in held
        for places in [state.rules.board.places[kind]]
        for cell in cells
    ]


def _keeps(state: Position) -> list[Step]:
    board, packed = state.rules.board, state.packed
    colour = split_colour(board, packed, state.rules.colours)
    lowest = [group & -group for group in choices(board, packed, colour)]
    return [("keep", colour, low.bit_length() - 1) for low in lowest]


def next_placement(
    rules: RulesConfig,
    packed: int,
    reserves: tuple[int, ...],
    neutral_reserves: tuple[int, ...],
    out: int,
) -> tuple[str, int] | None:
    """The phase before the main one and the seat that places next in it, None when both are done.

    The position alone tells: the seats that have not placed yet in a round have more left, and
    a seat that was skipped in the second round cannot place later in it either.
    """
    seats = [seat for seat in range(rules.players) if not out >> seat & 1]
    most = max(SIZE[neutral_reserves[seat]] for seat in seats)
    for seat in seats:
        if most and SIZE[neutral_reserves[seat]] == most:
            return "neutral", seat
    for seat in seats:
        if SIZE[reserves[seat]] == MUGLUS:
            return "opening", seat
    for seat in seats:
        if SIZE[reserves[seat]] == MUGLUS - 1 and can_extend(rules, packed, seat):
            return "opening", seat
    return None


def can_extend(rules: RulesConfig, packed: int, seat: int) -> bool:
    """Whether an empty tile lies next to a muglu of the seat's colour (no tile has melted)."""
    board = rules.board
    return bool(board.spread(packed >> CELLS * seat & ALL) & ~(packed >> OCCUPIED))


def next_turn(
    rules: RulesConfig,
    packed: int,
    ice: int,
    reserves: tuple[int, ...],
    out: int,
    seat: int,
    number: int,
) -> tuple[int | None, int, int]:
    """Pass the turn on in the main phase.

    Args:
        rules: the match.
        packed: the stacks.
        ice: the tiles that exist.
        reserves: one per seat.
        out: the mask of the seats that are out.
        seat: the seat whose turn is over, -1 when the main phase begins.
        number: the round of that turn.

    Returns:
        The seat to move (None: the match is over), the round, and the seats that are out.
    """
    board, players = rules.board, rules.players
    while True:
        seat += 1
        if seat == players:
            if number == rules.round_limit or out.bit_count() == players:
                return None, number, out
            seat, number = 0, number + 1
        if out >> seat & 1:
            continue
        reserve = reserves[seat]
        own = packed >> CELLS * seat & ALL
        if reserve and own & own - 1:  # the usual case: it has two tiles, and room to place
            room = board.joins(own) & ice
            if packed >> OCCUPIED & room != room:
                return seat, number, out
        if not is_spent(packed, reserve, seat) and can_act(board, packed, ice, reserve, seat):
            return seat, number, out
        out |= 1 << seat


def is_spent(packed: int, reserve: int, seat: int) -> bool:
    """Whether a seat has placed at least two muglus, and at most one of them is left."""
    own = packed >> CELLS * seat & ALL
    if own & (own - 1):
        return False
    return SIZE[reserve] <= MUGLUS - 2 and muglus(packed, seat) <= 1
