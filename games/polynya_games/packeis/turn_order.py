"""The order of turns: the seats that withdraw are passed over, and when the match is over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from polynya_games.bitsets import cells_of
from polynya_games.packeis.legal_steps import can_move
from polynya_games.packeis.rules_config import PENGUINS

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState

NEXT_SEATS: Final = {
    players: tuple(
        tuple((seat + distance) % players for distance in range(1, players + 1))
        for seat in range(players)
    )
    for players in PENGUINS
}
"""Per number of players and seat: the seats in the order in which they are asked after it."""


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
