"""Whether a match can come to a position: what the rules imply for every position of a match.

Nothing that can arise is refused. Conversely not all that cannot arise is found: that would need a
search for a match that leads there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polynya_games.bitsets import cells_of
from polynya_games.errors import InvalidState
from polynya_games.packeis.legal_steps import can_move
from polynya_games.packeis.rules_config import MOST_FISH, PENGUINS

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState


def check_position(state: PackeisState) -> None:
    """Refuse a position that cannot be.

    Args:
        state: as read from a document: ``layout`` has the fish on it, and ``clears`` says that the
            phase is another than placement and every floe can be reached.

    Raises:
        InvalidState: a sentence says which rule the position contradicts.
    """
    _check_seats(state)
    if state.phase == "placement":
        _check_placement(state)
    elif state.phase == "over" and all(state.out):
        _check_end(state)
    else:
        _check_movement(state)


def _check_seats(state: PackeisState) -> None:
    for seat, own in enumerate(state.penguins):
        if seat in state.forfeited and not state.out[seat]:
            raise InvalidState(f"seat {seat} has forfeited, so it is out")
        if own and state.out[seat]:
            raise InvalidState(f"seat {seat} is out, so penguins[{seat}] is empty")
    by_forfeit = len(state.forfeited) >= state.players - 1
    if len(state.forfeited) == state.players:
        raise InvalidState("the last player who has not forfeited cannot forfeit")
    if state.to_move is None and not by_forfeit and not all(state.out):
        raise InvalidState("the match is not over: two have not forfeited and one is not out")
    if state.to_move is not None and by_forfeit:
        raise InvalidState("only one player has not forfeited, so the match is over")
    if state.to_move is not None and state.out[state.to_move]:
        raise InvalidState(f"seat {state.to_move} is out and cannot be to move")


def _check_placement(state: PackeisState) -> None:
    seat = _asked(state)
    placed = state.penguins[seat].bit_count()
    if placed >= PENGUINS[state.players]:
        raise InvalidState(f"seat {seat} has placed all its penguins already")
    for other, own in enumerate(state.penguins):
        wanted = placed + (other < seat)
        if not state.out[other] and own.bit_count() != wanted:
            raise InvalidState(f"penguins are placed in turn: seat {other} has {wanted} by now")
    _check_untouched(state)


def _check_movement(state: PackeisState) -> None:
    """A position in the movement phase, or one in which a forfeit has left a single player."""
    penguins = PENGUINS[state.players]
    if state.phase == "over" and state.penguins[_asked(state)].bit_count() < penguins:
        return _check_untouched(state)
    for seat, own in enumerate(state.penguins):
        if not state.out[seat] and own.bit_count() != penguins:
            raise InvalidState(f"seat {seat} has {penguins} penguins on the board")
    if state.to_move is not None and not can_move(
        state.layout.board, state.penguins[state.to_move], state.free
    ):
        raise InvalidState(f"seat {state.to_move} cannot move and would have withdrawn")
    if state.clears and (any(state.catches) or state.forfeited):
        _check_rounds(state)
        return _check_catches(state)
    if any(state.catches):
        raise InvalidState("floes that no penguin can reach leave the board with the first move")
    if state.phase == "movement" and state.to_move != (first := state.out.index(False)):
        raise InvalidState(f"no player has moved yet, and seat {first} begins")
    return _check_untouched(state)


def _check_end(state: PackeisState) -> None:
    if state.free:
        raise InvalidState("everyone is out, so no floe is left")
    for seat in _withdrawn(state):
        _check_withdrawn(state, seat)
    _check_catches(state)


def _check_untouched(state: PackeisState) -> None:
    """Before the first movement only placed penguins' floes can have left, by forfeits."""
    if any(state.catches) or _withdrawn(state):
        raise InvalidState("no player collects floes or withdraws before the first movement")
    for cell in cells_of(state.occupied):
        if (fish := state.layout.fish[cell]) != 1:
            where = f"the floe on {cell} carries {fish} fish"
            raise InvalidState(f"penguins are placed on floes with one fish; {where}")
    seat = _asked(state)
    placed = state.penguins[seat].bit_count()
    most = sum(min(placed + (other < seat), PENGUINS[state.players]) for other in state.forfeited)
    if state.phase == "movement":
        most = PENGUINS[state.players] * len(state.forfeited)
    if (left := state.layout.fish.count(0)) > most:
        raise InvalidState(f"floes that have left: {left}; at most {most} can have so far")
    _check_ones(state)


def _check_rounds(state: PackeisState) -> None:
    """Each movement step gives one floe, and the players move in turn."""
    seat = _asked(state)
    rounds = state.floes_caught[seat]
    for other, floes in enumerate(state.floes_caught):
        most = rounds + (other < seat)
        if not state.out[other] and floes != most:
            raise InvalidState(f"players move in turn: floes_caught[{other}] is {most} by now")
        if other in state.forfeited and floes > most:
            raise InvalidState(f"players move in turn: floes_caught[{other}] is {most} at most")
    for other in _withdrawn(state):
        _check_withdrawn(state, other)
        if state.floes_caught[other] > PENGUINS[state.players] + rounds - (other > seat):
            raise InvalidState(f"seat {other} has withdrawn with more floes than its turns gave")


def _check_withdrawn(state: PackeisState, seat: int) -> None:
    if state.floes_caught[seat] < PENGUINS[state.players]:
        raise InvalidState(f"seat {seat} has withdrawn and collected the floes of its penguins")


def _asked(state: PackeisState) -> int:
    """The seat to move, or the last seat after the others have forfeited."""
    return state.out.index(False) if state.to_move is None else state.to_move


def _withdrawn(state: PackeisState) -> list[int]:
    return [
        seat for seat in range(state.players) if state.out[seat] and seat not in state.forfeited
    ]


def _check_catches(state: PackeisState) -> None:
    """Refuse catches that no floes add up to."""
    for seat in range(state.players):
        _check_catch(state, seat)
    forfeiters = sum(state.floes_caught[seat] > 0 for seat in state.forfeited)
    gone = sum(state.floes_caught) + forfeiters * PENGUINS[state.players]
    if (left := state.layout.fish.count(0)) < gone:
        raise InvalidState(
            f"{left} floes have left the board, but floes_caught and the floes under forfeiters' "
            f"penguins are {gone}"
        )
    _check_ones(state)


def _check_ones(state: PackeisState) -> None:
    """Refuse a position before which there were fewer floes with one fish than penguins."""
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
