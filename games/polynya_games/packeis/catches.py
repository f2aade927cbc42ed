"""Whether the players' catches can be made of the floes that have left the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polynya_games.errors import InvalidState
from polynya_games.packeis.bits import cells_of
from polynya_games.packeis.layout import MOST_FISH
from polynya_games.packeis.setup import PENGUINS

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState


def check_catches(state: PackeisState) -> None:
    """Refuse catches that no floes add up to.

    Raises:
        InvalidState: a seat's catch, or all of them together, cannot be.
    """
    for seat in range(state.players):
        _check_catch(state, seat)
    forfeiters = sum(state.floes_caught[seat] > 0 for seat in state.forfeited)
    gone = sum(state.floes_caught) + forfeiters * PENGUINS[state.players]
    if (left := state.layout.fish.count(0)) < gone:
        raise InvalidState(
            f"{left} floes have left the board, but floes_caught and the floes under forfeiters' "
            f"penguins are {gone}"
        )
    check_ones(state)


def check_ones(state: PackeisState) -> None:
    """Refuse a position before which there were fewer floes with one fish than penguins.

    Raises:
        InvalidState: so it is, whatever the floes that have left the board carried.
    """
    caught = sum(_most_ones(state, seat) for seat in range(state.players))
    lost = state.layout.fish.count(0) - sum(state.floes_caught)
    ones = state.layout.fish.count(1) + caught + lost
    penguins = PENGUINS[state.players] * state.players
    if ones < penguins:
        raise InvalidState(
            f"at most {ones} floes can have had one fish, fewer than the {penguins} penguins"
        )


def _most_ones(state: PackeisState, seat: int) -> int:
    """How many floes with one fish a seat's catch can have at most."""
    floes, fish = state.floes_caught[seat], state.fish_caught[seat]
    return floes - -(-(fish - floes) // (MOST_FISH - 1))


def _check_catch(state: PackeisState, seat: int) -> None:
    floes, fish = state.floes_caught[seat], state.fish_caught[seat]
    ones = _fewest_ones(state, seat)
    if not floes <= fish <= floes + (MOST_FISH - 1) * (floes - ones):
        raise InvalidState(
            f"seat {seat} cannot have {fish} fish on {floes} floes, "
            f"at least {ones} of them with one fish"
        )


def _fewest_ones(state: PackeisState, seat: int) -> int:
    """Penguins begin on one-fish floes, and collect them when they leave."""
    if state.out[seat] and seat not in state.forfeited:
        return PENGUINS[state.players]
    elsewhere = sum(state.layout.fish[cell] > 1 for cell in cells_of(state.penguins[seat]))
    return max(elsewhere, 1 if state.floes_caught[seat] else 0)
