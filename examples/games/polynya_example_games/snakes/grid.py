"""A position of snakes as a grid of cells, for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from polynya_games.boards import EMPTY, Cell, Grid

FOOD: Final = Cell("gold", "disc")
SIDES: Final = {(0, 1): "N", (1, 0): "E", (0, -1): "S", (-1, 0): "W"}


def grid_of(document: Mapping[str, Any]) -> Grid:
    """The grid of a document or a view: row 0 at the bottom, as in the rules.

    A body is in one piece, in the colour of its seat; the head has the seat's number.
    """
    size, snakes = document["size"], document["snakes"]
    cells = dict.fromkeys(map(tuple, document["food"]), FOOD)
    for seat, snake in enumerate(snakes):
        cells.update(_parts(seat, snake["body"]))
    rows = [[cells.get((x, y), EMPTY) for x in range(size)] for y in reversed(range(size))]
    return Grid(
        rows,
        row_labels=[str(y) for y in reversed(range(size))],
        column_labels=[str(x) for x in range(size)],
        title=_title(document),
    )


def _parts(seat: int, body: Sequence[Sequence[int]]) -> Iterator[tuple[tuple[int, int], Cell]]:
    """The cells of a snake, the head last: it lies on top of parts on the same field."""
    places = [(x, y) for x, y in body]
    for place, point in reversed([*enumerate(places)]):
        near = (*places[max(0, place - 1) : place], *places[place + 1 : place + 2])
        joins = "".join(
            side for (x, y), side in SIDES.items() if (point[0] + x, point[1] + y) in near
        )
        if place == 0:
            yield point, Cell(seat, "disc", str(seat), joins=joins)
        else:
            yield point, Cell(seat, "square", joins=joins)


def _title(document: Mapping[str, Any]) -> str:
    living = [str(seat) for seat, snake in enumerate(document["snakes"]) if snake["out"] is None]
    return f"turn {document['turn']}; snakes that live: {', '.join(living) or 'none'}"
