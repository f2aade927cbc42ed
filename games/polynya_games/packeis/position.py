"""A position: bitboards in an immutable object, what it shows, and which steps it allows."""

from __future__ import annotations

from typing import Final, Literal

from polynya_games.cells import Rows, cells_of
from polynya_games.game import Outcome, Step, Termination
from polynya_games.packeis.board import BIT, CELLS, Board, board_from
from polynya_games.ranking import ranking

Phase = Literal["placement", "movement", "over"]

MOST_FISH: Final = 3
"""The most fish on a floe."""

PENGUINS: Final = {2: 4, 3: 3, 4: 2}
"""Players: the penguins of each."""

CATCH: Final = tuple(64 * fish + 1 for fish in range(MOST_FISH + 1))
"""Fish on a floe: what it adds to a catch, ``64 * fish + floes``, which compares as players do."""


class Layout:
    """A board with its fish.

    Attributes:
        fish: per cell the fish that the floe carried at first, 0 where there is none.
        rows: the board's rows as they were given; None for the usual board.
        board: the board.
        catches: per cell what its floe adds to the catch of the player who collects it.
    """

    def __init__(self, fish: tuple[int, ...], rows: Rows | None = None) -> None:
        if len(fish) != CELLS:
            raise ValueError(f"a layout has {CELLS} floes, not {len(fish)}")
        self.fish: Final = fish
        self.rows: Final = rows
        self.board: Final = board_from(rows)
        self.catches: Final = tuple([CATCH[number] for number in fish])

    def __reduce__(self) -> tuple[type[Layout], tuple[object, ...]]:
        """How layouts are copied, and sent to other processes."""
        return (Layout, (self.fish, self.rows))

    def __repr__(self) -> str:
        return f"Layout{(self.fish, self.rows)}"


PLACES: Final[tuple[Step, ...]] = tuple(("place", cell) for cell in range(CELLS))
"""Per cell the step that places a penguin on it."""

PLACE_CELLS: Final[dict[Step, int]] = {step: cell for cell, step in enumerate(PLACES)}
"""Per placing step its cell."""


def moves(board: Board, penguins: int, free: int) -> list[Step]:
    """All moves of the penguins of a bitboard, sorted.

    Args:
        board: the board.
        penguins: the bitboard of the penguins that may move.
        free: the bitboard of the floes without a penguin.
    """
    steps: list[Step] = []
    fans = board.fans
    while penguins:
        penguin = penguins & -penguins
        penguins ^= penguin
        for rays, slides in fans[penguin]:
            steps += slides[rays & free]
    return steps


def can_move(board: Board, penguins: int, free: int) -> bool:
    """Whether any of the penguins of a bitboard has a free neighbouring floe."""
    neighbours = board.neighbours_of_bit
    while penguins:
        penguin = penguins & -penguins
        if neighbours[penguin] & free:
            return True
        penguins ^= penguin
    return False


class Position:
    """A position of Packeis am Pol, without what steps make of it.

    Floes that no penguin can reach any more stay in ``free``, where they cannot do anything; they
    leave when they are read (:attr:`floes`, :attr:`fish`, the document, ``==``). An
    unreachable floe stays so for ever, so the result is the same as after a removal at each step,
    and a search does not pay for it.

    Attributes:
        layout: the board and the fish on it at first.
        free: the bitboard of the floes without a penguin, see above.
        penguins: per seat the bitboard of its penguins.
        catches: per seat ``64 * fish + floes`` collected; the greater one is ahead.
        out: per seat whether it makes no more turns.
        forfeited: the seats that forfeited, in that order.
        phase: ``"placement"``, ``"movement"`` or ``"over"``.
        to_move: the seat to move, None when the match is over.
        clears: whether unreachable floes leave the board: from the first movement step,
            withdrawal or forfeit in the movement phase on.
    """

    __slots__ = (
        "catches",
        "clears",
        "forfeited",
        "free",
        "layout",
        "out",
        "penguins",
        "phase",
        "to_move",
    )

    def __init__(
        self,
        layout: Layout,
        free: int,
        penguins: tuple[int, ...],
        catches: tuple[int, ...],
        out: tuple[bool, ...],
        forfeited: tuple[int, ...],
        phase: Phase,
        to_move: int | None,
        clears: bool,
    ) -> None:
        self.layout: Final = layout
        self.free: Final = free
        self.penguins: Final = penguins
        self.catches: Final = catches
        self.out: Final = out
        self.forfeited: Final = forfeited
        self.phase: Final = phase
        self.to_move: Final = to_move
        self.clears: Final = clears

    @property
    def players(self) -> int:
        """The number of seats, 2 to 4."""
        return len(self.penguins)

    @property
    def turn_over(self) -> bool:
        """True: a turn is always one step."""
        return True

    @property
    def occupied(self) -> int:
        """The bitboard of all penguins."""
        return sum(self.penguins)

    @property
    def floes(self) -> int:
        """The bitboard of the floes on the board, with and without penguins."""
        occupied = self.occupied
        board = self.layout.board
        return board.reachable(self.free, occupied) if self.clears else self.free | occupied

    @property
    def fish(self) -> tuple[int, ...]:
        """Per cell the fish on its floe, 0 where there is no floe any more."""
        floes = self.floes
        return tuple(
            [fish if floes & bit else 0 for fish, bit in zip(self.layout.fish, BIT, strict=True)]
        )

    @property
    def fish_caught(self) -> tuple[int, ...]:
        """Per seat the fish on the floes collected."""
        return tuple([catch >> 6 for catch in self.catches])

    @property
    def floes_caught(self) -> tuple[int, ...]:
        """Per seat the number of floes collected."""
        return tuple([catch & 63 for catch in self.catches])

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, None while it goes on; the scores are the fish caught."""
        if self.to_move is not None:
            return None
        alone = len(self.forfeited) == self.players - 1
        return Outcome(
            Termination.FORFEIT if alone else Termination.FINISHED,
            ranking(self.catches, self.forfeited),
            self.fish_caught,
        )

    def legal_steps(self) -> list[Step]:
        """All legal steps, sorted; none when the match is over."""
        if self.to_move is None:
            return []
        if self.phase == "movement":
            return moves(self.layout.board, self.penguins[self.to_move], self.free)
        fish = self.layout.fish
        return [PLACES[cell] for cell in cells_of(self.free) if fish[cell] == 1]

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position: what is unreachable makes no difference."""
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self._compared() == other._compared()
            and self.fish == other.fish
            and self.layout.rows == other.layout.rows
        )

    def __hash__(self) -> int:
        return hash(self._compared())

    def __reduce__(self) -> tuple[type[Position], tuple[object, ...]]:
        """How positions are copied, and sent to other processes."""
        return (type(self), self._values())

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._values()}"

    def _values(self) -> tuple[object, ...]:
        return (
            self.layout,
            self.free,
            self.penguins,
            self.catches,
            self.out,
            self.forfeited,
            self.phase,
            self.to_move,
            self.clears,
        )

    def _compared(self) -> tuple[object, ...]:
        return (self.penguins, self.catches, self.to_move, self.phase, self.out, self.forfeited)
