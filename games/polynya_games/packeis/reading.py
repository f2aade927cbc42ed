"""A position read back from its document: its form; ``plausibility`` asks whether it can be."""

from __future__ import annotations

from typing import Any

from polynya_games.bitsets import bitset
from polynya_games.errors import InvalidOption, InvalidState
from polynya_games.packeis.bits import BIT, CELLS
from polynya_games.packeis.plausibility import check_position
from polynya_games.packeis.rules_config import MOST_FISH, PENGUINS, Layout
from polynya_games.packeis.setup import rows_from
from polynya_games.packeis.state import PackeisState
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


def read_state(data: object) -> PackeisState:
    """The position that a document of the form of ``PackeisState.to_json`` describes.

    Raises:
        InvalidState: the document has another form, or no match can come to that position.
    """
    document = read_game(data, "packeis", _KEYS, ("rows",))
    players = read_integer(document["players"], "players", min(PENGUINS), max(PENGUINS))
    state = _read_values(document, players)
    check_position(state)
    return state


def _read_values(document: dict[str, Any], players: int) -> PackeisState:
    fish = read_integers(document["fish"], "fish", 0, MOST_FISH, CELLS)
    penguins = _read_penguins(document["penguins"], players, fish)
    occupied = sum(penguins)
    free = bitset(cell for cell in range(CELLS) if fish[cell]) & ~occupied
    phase = read_choice(document["phase"], "phase", ("placement", "movement", "over"))
    to_move = read_seat_or_none(document["to_move"], "to_move", players)
    if (to_move is None) != (phase == "over"):
        raise InvalidState('to_move is null exactly when the phase is "over"')
    layout = _read_layout(document, fish)
    return PackeisState(
        layout=layout,
        free=free,
        penguins=penguins,
        catches=_read_catches(document, players),
        out=read_booleans(document["out"], "out", players),
        forfeited=read_seats(document["forfeited"], "forfeited", players),
        phase=phase,  # type: ignore[arg-type]
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
