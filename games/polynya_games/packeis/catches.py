"""Whether the players' catches can be made of the floes that have left the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polynya_games.errors import InvalidState
from polynya_games.packeis.board import cells_of
from polynya_games.packeis.setup import FLOES, PENGUINS

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState


def check_catches(state: PackeisState) -> None:
    """Refuse catches that no floes add up to.

    A catch of ``n`` floes and ``f`` fish with ``t`` three-fish floes has ``f - n - 2t`` two-fish
    floes and the rest with one fish; so ``t`` alone describes what the catch may be made of.

    Raises:
        InvalidState: a seat's catch, or all of them together, cannot be.
    """
    ranges = [_threes(state, seat) for seat in range(state.players)]
    floes = sum(state.floes_caught)
    fish = sum(state.fish_caught)
    left = {number: FLOES[number] - state.layout.count(number) for number in FLOES}
    for threes in range(sum(map(min, ranges)), sum(map(max, ranges)) + 1):
        twos = fish - floes - 2 * threes
        if threes <= left[3] and twos <= left[2] and floes - threes - twos <= left[1]:
            break
    else:
        raise InvalidState("fish_caught and floes_caught do not fit the floes that have left")
    forfeiters = sum(state.floes_caught[seat] > 0 for seat in state.forfeited)
    if sum(left.values()) < floes + forfeiters * PENGUINS[state.players]:
        raise InvalidState("the floes under forfeiters' penguins have left the board too")


def _threes(state: PackeisState, seat: int) -> range:
    """The numbers of three-fish floes that a seat's catch may have."""
    floes, fish = state.floes_caught[seat], state.fish_caught[seat]
    ones = _fewest_ones(state, seat)
    numbers = [
        threes
        for threes in range(FLOES[3] + 1)
        if (twos := fish - floes - 2 * threes) >= 0 and floes - twos - threes >= ones
    ]
    if not numbers:
        raise InvalidState(
            f"seat {seat} cannot have {fish} fish on {floes} floes, "
            f"at least {ones} of them with one fish"
        )
    return range(numbers[0], numbers[-1] + 1)


def _fewest_ones(state: PackeisState, seat: int) -> int:
    """Penguins begin on one-fish floes, and collect them when they leave."""
    if state.out[seat] and seat not in state.forfeited:
        return PENGUINS[state.players]
    elsewhere = sum(state.layout[cell] > 1 for cell in cells_of(state.penguins[seat]))
    return max(elsewhere, 1 if state.floes_caught[seat] else 0)
