"""State documents: written for bots and tools, and read back from any hand (rules, "State").

Of a document its form is checked, and what is cheap and certain: counts of floes, fish and
penguins, the phase, and whose turn it is. No search proves that a match leads there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from polynya_games.cells import Rows, bitset, cells_of, centres, is_connected, read_rows, written
from polynya_games.errors import InvalidOption, InvalidState
from polynya_games.packeis.board import BIT, CELLS
from polynya_games.packeis.position import MOST_FISH, PENGUINS, Layout, Position, can_move
from polynya_games.packeis.refusals import REFUSALS
from polynya_games.reading import (
    read_ascending,
    read_booleans,
    read_choice,
    read_each,
    read_game,
    read_integer,
    read_integers,
    read_seat_or_none,
    read_seats,
)
from polynya_games.refusals import refusal

P = TypeVar("P", bound=Position)

_KEYS = (
    "game",
    "players",
    "phase",
    "to_move",
    "fish",
    "penguins",
    "fish_caught",
    "floes_caught",
    "out",
    "forfeited",
)


def write_state(state: Position) -> dict[str, Any]:
    """All keys of the rules' document in their order, with lists and plain values only."""
    document: dict[str, Any] = {
        "game": "packeis",
        "players": state.players,
        "phase": state.phase,
        "to_move": state.to_move,
        "fish": list(state.fish),
        "penguins": [list(cells_of(own)) for own in state.penguins],
        "fish_caught": list(state.fish_caught),
        "floes_caught": list(state.floes_caught),
        "out": list(state.out),
        "forfeited": list(state.forfeited),
    }
    if state.layout.rows is not None:
        document["rows"] = written(state.layout.rows)
    return document


def read_state(data: object, make: Callable[..., P]) -> P:
    """The position that a document of the form of :func:`write_state` describes.

    Args:
        data: any value.
        make: makes the position of its values.

    Raises:
        InvalidState: the document has another form, or contradicts itself.
    """
    document = read_game(data, "packeis", _KEYS, ("rows",))
    players = read_integer(document["players"], "players", min(PENGUINS), max(PENGUINS))
    state = _read_values(document, players, make)
    _check_position(state)
    return state


def _read_values(document: dict[str, Any], players: int, make: Callable[..., P]) -> P:
    fish = read_integers(document["fish"], "fish", 0, MOST_FISH, CELLS)
    penguins = _read_penguins(document["penguins"], players, fish)
    occupied = sum(penguins)
    free = bitset(cell for cell in range(CELLS) if fish[cell]) & ~occupied
    phase = read_choice(document["phase"], "phase", ("placement", "movement", "over"))
    to_move = read_seat_or_none(document["to_move"], "to_move", players)
    if (to_move is None) != (phase == "over"):
        raise InvalidState('to_move is null exactly when the phase is "over"')
    layout = _read_layout(document, fish)
    return make(
        layout=layout,
        free=free,
        penguins=penguins,
        catches=_read_catches(document, players),
        out=read_booleans(document["out"], "out", players),
        forfeited=read_seats(document["forfeited"], "forfeited", players),
        phase=phase,
        to_move=to_move,
        clears=phase != "placement" and layout.board.reachable(free, occupied) == free | occupied,
    )


def _read_layout(document: dict[str, Any], fish: tuple[int, ...]) -> Layout:
    if "rows" not in document:
        return Layout(fish)
    try:
        return Layout(fish, rows_from(document["rows"]))
    except InvalidOption as error:
        raise InvalidState(str(error), error.code, error.fields) from error


def _read_penguins(value: object, players: int, fish: tuple[int, ...]) -> tuple[int, ...]:
    def read(cells: object, path: str) -> int:
        return bitset(read_ascending(cells, path, 0, CELLS - 1))

    penguins = read_each(value, "penguins", read, players)
    taken = 0
    for seat, own in enumerate(penguins):
        if own & taken:
            raise InvalidState(f"penguins[{seat}] stands where another seat's penguin stands")
        taken |= own
    for cell in range(CELLS):
        if taken & BIT[cell] and not fish[cell]:
            raise InvalidState(f"a penguin stands on {cell}, where there is no floe")
    return penguins


def _read_catches(document: dict[str, Any], players: int) -> tuple[int, ...]:
    fish = read_integers(document["fish_caught"], "fish_caught", 0, MOST_FISH * CELLS, players)
    floes = read_integers(document["floes_caught"], "floes_caught", 0, CELLS, players)
    return tuple([64 * more + less for more, less in zip(fish, floes, strict=True)])


def rows_from(value: object) -> Rows:
    """The rows of a board as a host or a peer wrote them.

    Raises:
        InvalidOption: they are no rows of 60 connected floes; the message says why.
    """
    rows = read_rows(value, CELLS)
    cells = centres(rows)
    if len(cells) != CELLS:
        raise refusal(InvalidOption, REFUSALS, "few_floes", count=len(cells), floes=CELLS)
    if not is_connected(cells):
        raise refusal(InvalidOption, REFUSALS, "rows_apart")
    return rows


def _check_position(state: Position) -> None:
    """Refuse a position that contradicts itself."""
    _check_seats(state)
    if state.phase == "placement":
        _check_placement(state)
    elif state.phase == "movement":
        _check_movement(state)
    elif all(state.out) and state.free:
        raise InvalidState("everyone is out, so no floe is left")
    _check_catches(state)


def _check_seats(state: Position) -> None:
    for seat, own in enumerate(state.penguins):
        if seat in state.forfeited and not state.out[seat]:
            raise InvalidState(f"seat {seat} has forfeited, so it is out")
        if own.bit_count() > (most := PENGUINS[state.players]):
            raise InvalidState(f"seat {seat} has {most} penguins at most")
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


def _check_placement(state: Position) -> None:
    seat: Any = state.to_move
    placed = state.penguins[seat].bit_count()
    if placed >= PENGUINS[state.players]:
        raise InvalidState(f"seat {seat} has placed all its penguins already")
    for other, own in enumerate(state.penguins):
        wanted = placed + (other < seat)
        if not state.out[other] and own.bit_count() != wanted:
            raise InvalidState(f"penguins are placed in turn: seat {other} has {wanted} by now")
    for cell in cells_of(state.occupied):
        if (fish := state.layout.fish[cell]) != 1:
            where = f"the floe on {cell} carries {fish} fish"
            raise InvalidState(f"penguins are placed on floes with one fish; {where}")
    if any(state.catches) or sum(state.out) > len(state.forfeited):
        raise InvalidState("no player collects floes or withdraws before the first movement")
    if not state.forfeited and 0 in state.layout.fish:
        raise InvalidState("no floe leaves the board before the first movement, but by a forfeit")


def _check_movement(state: Position) -> None:
    penguins = PENGUINS[state.players]
    for seat, own in enumerate(state.penguins):
        if not state.out[seat] and own.bit_count() != penguins:
            raise InvalidState(f"seat {seat} has {penguins} penguins on the board")
    asked: Any = state.to_move
    if not can_move(state.layout.board, state.penguins[asked], state.free):
        raise InvalidState(f"seat {asked} cannot move and would have withdrawn")
    if state.clears and any(state.catches):
        return _check_rounds(state, asked)
    if any(state.catches):
        raise InvalidState("floes that no penguin can reach leave the board with the first move")
    if asked != (first := state.out.index(False)):
        raise InvalidState(f"no player has moved yet, and seat {first} begins")
    return None


def _check_rounds(state: Position, asked: int) -> None:
    """Each movement step gives one floe, and the players move in turn."""
    rounds = state.floes_caught[asked]
    for seat, floes in enumerate(state.floes_caught):
        wanted = rounds + (seat < asked)
        if not state.out[seat] and floes != wanted:
            raise InvalidState(f"players move in turn: floes_caught[{seat}] is {wanted} by now")


def _check_catches(state: Position) -> None:
    """Refuse catches that no floes add up to (rules, "Set-up", ``fish``)."""
    for seat, (floes, fish) in enumerate(zip(state.floes_caught, state.fish_caught, strict=True)):
        if not floes <= fish <= MOST_FISH * floes:
            raise InvalidState(f"seat {seat} cannot have {fish} fish on {floes} floes")
    left, gone = state.layout.fish.count(0), sum(state.floes_caught)
    if left < gone:
        raise InvalidState(f"{left} floes have left the board, but floes_caught is {gone} in all")
    _check_ones(state)


def _check_ones(state: Position) -> None:
    """Refuse a position before which there were fewer floes with one fish than penguins."""
    caught = sum(_most_ones(state, seat) for seat in range(state.players))
    lost = state.layout.fish.count(0) - sum(state.floes_caught)
    ones = state.layout.fish.count(1) + caught + lost
    penguins = PENGUINS[state.players] * state.players
    if ones < penguins:
        raise InvalidState(
            f"at most {ones} floes can have had one fish, fewer than the {penguins} penguins"
        )


def _most_ones(state: Position, seat: int) -> int:
    """How many floes with one fish a seat's catch can have at most."""
    floes, fish = state.floes_caught[seat], state.fish_caught[seat]
    return floes - -(-(fish - floes) // (MOST_FISH - 1))
