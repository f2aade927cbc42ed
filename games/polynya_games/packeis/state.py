"""A position: bitboards in an immutable object, and what steps and forfeits make of it."""

from __future__ import annotations

from typing import Any, Final, Literal, cast

from polynya_games.bitsets import cells_of
from polynya_games.game import Outcome, Step, Termination
from polynya_games.packeis.bits import BIT
from polynya_games.packeis.legal_steps import PLACES, can_move, moves
from polynya_games.packeis.rules_config import Layout
from polynya_games.packeis.step_check import checked_forfeit, checked_step
from polynya_games.packeis.turn_order import NEXT_SEATS, pass_placement, pass_turn
from polynya_games.packeis.writing import write_state
from polynya_games.ranking import ranking

Phase = Literal["placement", "movement", "over"]


class PackeisState:
    """A position of Packeis am Pol.

    Floes that no penguin can reach any more stay in ``free``, where they cannot do anything; they
    leave when they are read (:attr:`floes`, :attr:`fish`, :meth:`to_json`, ``==``). An
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

    def apply(self, step: object) -> PackeisState:
        """The position after ``step``, which is checked first.

        Raises:
            InvalidStep: it is neither ``["place", cell]`` nor ``["move", from, to]``.
            IllegalStep: the position does not allow it; the message says why.
        """
        return self.apply_legal(checked_step(self, step))

    def apply_legal(self, step: Step) -> PackeisState:
        """The position after a step that came from ``legal_steps()``, without checking it again."""
        arguments = cast("Any", step)
        if self.phase != "movement":
            return self._place(arguments[1])
        origin: int = arguments[1]
        target: int = arguments[2]
        seat = cast("int", self.to_move)
        layout = self.layout
        free = self.free ^ BIT[target]
        penguins = [*self.penguins]
        penguins[seat] ^= BIT[origin] ^ BIT[target]
        catches = [*self.catches]
        catches[seat] += layout.catches[origin]
        following = NEXT_SEATS[len(penguins)][seat]
        position = PackeisState(
            layout,
            free,
            tuple(penguins),
            tuple(catches),
            self.out,
            self.forfeited,
            "movement",
            following[0],
            True,
        )
        if can_move(layout.board, penguins[following[0]], free):
            return position
        return pass_turn(position, following)

    def _place(self, cell: int) -> PackeisState:
        seat = cast("int", self.to_move)
        penguins = [*self.penguins]
        penguins[seat] |= BIT[cell]
        position = self.changed(
            self.phase, seat, free=self.free ^ BIT[cell], penguins=tuple(penguins)
        )
        return pass_placement(position, NEXT_SEATS[self.players][seat])

    def changed(
        self,
        phase: Phase,
        to_move: int | None,
        *,
        free: int | None = None,
        penguins: tuple[int, ...] | None = None,
        catches: tuple[int, ...] | None = None,
        out: tuple[bool, ...] | None = None,
        forfeited: tuple[int, ...] | None = None,
        clears: bool | None = None,
    ) -> PackeisState:
        """The same position in this phase, with this seat to move and the given values."""
        return PackeisState(
            self.layout,
            self.free if free is None else free,
            self.penguins if penguins is None else penguins,
            self.catches if catches is None else catches,
            self.out if out is None else out,
            self.forfeited if forfeited is None else forfeited,
            phase,
            to_move,
            self.clears if clears is None else clears,
        )

    def without(
        self, seat: int, catch: int, forfeited: tuple[int, ...], clears: bool
    ) -> PackeisState:
        """The same position when ``seat`` is out with ``catch``, and its penguins are gone."""
        return self.changed(
            self.phase,
            self.to_move,
            penguins=(*self.penguins[:seat], 0, *self.penguins[seat + 1 :]),
            catches=(*self.catches[:seat], catch, *self.catches[seat + 1 :]),
            out=(*self.out[:seat], True, *self.out[seat + 1 :]),
            forfeited=forfeited,
            clears=clears,
        )

    def forfeit(self, seat: object) -> PackeisState:
        """The position after ``seat`` has left, its penguins and the floes under them with it.

        Raises:
            IllegalForfeit: there is no such seat, it is out already, or the match is over.
        """
        leaving = checked_forfeit(self, seat)
        forfeited = (*self.forfeited, leaving)
        catch = self.catches[leaving]
        position = self.without(leaving, catch, forfeited, clears=self.phase == "movement")
        if len(forfeited) == self.players - 1:
            return position.changed("over", None)
        if self.to_move != leaving:
            return position
        following = NEXT_SEATS[self.players][leaving]
        if self.phase == "placement":
            return pass_placement(position, following)
        return pass_turn(position, following)

    def to_json(self) -> dict[str, Any]:
        """The state as bots and tools see it (rules, "State, as bots and tools see it")."""
        return write_state(self)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position: what is unreachable makes no difference."""
        if not isinstance(other, PackeisState):
            return NotImplemented
        return (
            self._compared() == other._compared()
            and self.fish == other.fish
            and self.layout.rows == other.layout.rows
        )

    def __hash__(self) -> int:
        return hash(self._compared())

    def __reduce__(self) -> tuple[type[PackeisState], tuple[object, ...]]:
        """How positions are copied, and sent to other processes."""
        return (PackeisState, self._values())

    def __repr__(self) -> str:
        return f"PackeisState{self._values()}"

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
