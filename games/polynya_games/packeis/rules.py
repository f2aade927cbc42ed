"""The rules of play: what steps and forfeits make of a position, and whose turn is next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from polynya_games.cells import cells_of
from polynya_games.errors import IllegalForfeit, describe
from polynya_games.game import Step
from polynya_games.packeis.board import BIT, NO_WAY
from polynya_games.packeis.document import write_state
from polynya_games.packeis.position import PENGUINS, PLACE_CELLS, Phase, Position, can_move
from polynya_games.packeis.refusals import REFUSALS, step_refusal
from polynya_games.refusals import refusal
from polynya_games.steps import Forms

FORMS: Final = Forms({"place": {"cell": int}, "move": {"from": int, "to": int}})

NEXT_SEATS: Final = {
    players: tuple(
        tuple((seat + distance) % players for distance in range(1, players + 1))
        for seat in range(players)
    )
    for players in PENGUINS
}
"""Per number of players and seat: the seats in the order in which they are asked after it."""


class PackeisState(Position):
    """A position of Packeis am Pol that can be played on; see :class:`Position`."""

    __slots__ = ()

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


def pass_turn(state: PackeisState, seats: Iterable[int]) -> PackeisState:
    """Ask the first of ``seats`` that can move; those asked before it withdraw.

    Source: rules, "Withdrawal" and "End".
    """
    board = state.layout.board
    for seat in seats:
        if can_move(board, state.penguins[seat], state.free):
            return state.changed("movement", seat)
        if not state.out[seat]:
            state = _withdraw(state, seat)
    return state.changed("over", None)


def pass_placement(state: PackeisState, seats: Iterable[int]) -> PackeisState:
    """Ask the first of ``seats`` that is not out for a penguin; begin the movement if all stand."""
    seat = next(seat for seat in seats if not state.out[seat])
    if state.penguins[seat].bit_count() < PENGUINS[state.players]:
        return state.changed(state.phase, seat)
    return pass_turn(state, range(state.players))


def _withdraw(state: PackeisState, seat: int) -> PackeisState:
    catch = state.catches[seat]
    for cell in cells_of(state.penguins[seat]):
        catch += state.layout.catches[cell]
    return state.without(seat, catch, state.forfeited, clears=True)


def checked_step(state: Position, step: object) -> Step:
    """``step`` as a legal step of the position.

    Raises:
        InvalidStep: it has another form, or a cell that no board has.
        IllegalStep: the position does not allow it.
    """
    checked = FORMS.read(step)
    if state.phase == "movement":
        origin, way = state.layout.board.ways.get(checked, NO_WAY)
        seat: Any = state.to_move
        if state.penguins[seat] & origin and way & state.free == way:
            return checked
    elif checked in PLACE_CELLS and state.phase == "placement":
        cell = PLACE_CELLS[checked]
        if state.layout.fish[cell] == 1 and state.free & BIT[cell]:
            return checked
    raise step_refusal(state, checked)


def checked_forfeit(state: Position, seat: object) -> int:
    """``seat``, if it may forfeit.

    Raises:
        IllegalForfeit: there is no such seat, it is out already, or the match is over.
    """
    if type(seat) is not int or not 0 <= seat < state.players:
        raise _illegal("no_seat", last=state.players - 1, seat=describe(seat))
    if state.to_move is None:
        raise _illegal("match_over")
    if seat in state.forfeited:
        raise _illegal("forfeited_already", seat=seat)
    if state.out[seat]:
        raise _illegal("withdrawn", seat=seat)
    return seat


def _illegal(code: str, **fields: Any) -> IllegalForfeit:
    return refusal(IllegalForfeit, REFUSALS, code, **fields)
