"""A board of hexagonal tiles: cell numbers, neighbours, straight lines, groups and the ice's edge.

A set of cells is a mask, an integer whose bit ``c`` stands for cell ``c``. Values of a mask alone
are remembered in bounded caches, because a search asks for the same masks again and again.
"""

from __future__ import annotations

import functools
import itertools

from polynya_games.cells import Rows, cells_of, centres, has_gaps
from polynya_games.game import Step

KINDS = "GDT"
"""Kinds of muglus: globe, disc, torus, the order of a reserve."""

DIRECTIONS = ((0, 2), (-1, 1), (-1, -1), (0, -2), (1, -1), (1, 1))
"""E, NE, NW, W, SW, SE as (rows down, half tiles east): counter-clockwise, as a circle."""
_REMEMBERED = 1 << 15
_CHUNK = 9
"""The number of cells whose neighbours are looked up at once, in tables of 512 masks."""
_CHUNK_MASK = (1 << _CHUNK) - 1
_USUAL_CHUNKS = 4
"""The chunks that hold all cells of the usual boards."""
_FAR = _CHUNK * _USUAL_CHUNKS


class Board:
    """The tables of one arrangement of tiles, complete and without a tile melted.

    Attributes:
        rows: the rows, north to south, as they were given.
        cells: the number of tiles.
        everything: the mask of all tiles.
        centres: row and x (in half tiles) of each cell's centre.
        neighbours: the mask of each cell's neighbours.
        places: by kind, then by the mask of a cell, the step that places there.
        moves: by cell and count, then by the mask of a goal, the step that moves there.
        joins: see :meth:`_joins`, remembered; likewise ``groups``, ``reach`` and ``meltable``.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.centres = centres(rows)
        self._has_gaps = has_gaps(rows)
        self._numbers = {centre: cell for cell, centre in enumerate(self.centres)}
        self.cells = len(self.centres)
        self.everything = (1 << self.cells) - 1
        self._rays = tuple(self._rays_from(cell) for cell in range(self.cells))
        self._reach = tuple(sum(sum(1 << c for c in ray) for ray in rays) for rays in self._rays)
        self._around = tuple(tuple(ray[0] if ray else None for ray in rays) for rays in self._rays)
        self.neighbours = tuple(
            sum(1 << cell for cell in around if cell is not None) for around in self._around
        )
        chunks = max(_USUAL_CHUNKS, -(-self.cells // _CHUNK))
        spread = tuple(self._spread_table(_CHUNK * chunk) for chunk in range(chunks))
        self._spread, self._spread_far = spread[:_USUAL_CHUNKS], spread[_USUAL_CHUNKS:]
        self._loose_among = tuple(self._loose(cell) for cell in range(self.cells))
        self.places = {
            kind: {1 << cell: ("place", kind, cell) for cell in range(self.cells)} for kind in KINDS
        }
        self.moves = tuple(self._moves_from(cell) for cell in range(self.cells))
        self.joins = functools.lru_cache(_REMEMBERED)(self._joins)
        self.groups = functools.lru_cache(_REMEMBERED)(self._groups)
        self.reach = functools.lru_cache(_REMEMBERED)(self._reach_over)
        self.meltable = functools.lru_cache(_REMEMBERED)(self._meltable)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def _rays_from(self, cell: int) -> tuple[tuple[int, ...], ...]:
        """The cells in a straight line, nearest first, in each direction."""
        rays = []
        for down, east in DIRECTIONS:
            row, x = self.centres[cell]
            ray = []
            while (next_cell := self._numbers.get((row := row + down, x := x + east))) is not None:
                ray.append(next_cell)
            rays.append(tuple(ray))
        return tuple(rays)

    def _moves_from(self, cell: int) -> tuple[dict[int, Step], ...]:
        goals = sorted(goal for ray in self._rays[cell] for goal in ray)
        return tuple(
            {1 << goal: ("move", cell, count, goal) for goal in goals} for count in range(4)
        )

    def _spread_table(self, first: int) -> tuple[int, ...]:
        """For each set of the cells from ``first`` on, that set with all its neighbours."""
        table = [0]
        for cell in range(first, first + _CHUNK):
            spread = self.neighbours[cell] | 1 << cell if cell < self.cells else 0
            table += [mask | spread for mask in table]
        return tuple(table)

    def spread(self, mask: int) -> int:
        """The cells of ``mask`` and all their neighbours."""
        first, second, third, fourth = self._spread
        near = (
            first[mask & _CHUNK_MASK]
            | second[mask >> _CHUNK & _CHUNK_MASK]
            | third[mask >> 2 * _CHUNK & _CHUNK_MASK]
            | fourth[mask >> 3 * _CHUNK & _CHUNK_MASK]
        )
        for table in self._spread_far:
            near |= table[mask >> _FAR & _CHUNK_MASK]
            mask >>= _CHUNK
        return near

    def _groups(self, mask: int) -> tuple[int, ...]:
        """The maximal connected parts of ``mask``, by lowest cell number."""
        groups = []
        while mask:
            group, larger = 0, mask & -mask
            while group != larger:
                group, larger = larger, self.spread(larger) & mask
            groups.append(group)
            mask ^= group
        return tuple(groups)

    def _joins(self, mask: int) -> int:
        """The cells that, added to ``mask``, make one group of it: all cells if it is empty."""
        joining = self.everything
        for group in self._groups(mask):
            joining &= self.spread(group)
        return joining

    def _reach_over(self, cell: int, ice: int) -> int:
        """The cells that lie in a straight line from ``cell`` with every tile on the way there."""
        if not self._reach[cell] & ~ice:
            return self._reach[cell]
        reached = 0
        for ray in self._rays[cell]:
            for goal in ray:
                if not ice >> goal & 1:
                    break
                reached |= 1 << goal
        return reached

    def _meltable(self, ice: int) -> int:
        """The tiles with fewer than six neighbours without which the ice stays connected.

        Neighbours that are one run around a tile are connected without it. On a board without gaps
        the converse holds too: only tiles at the edge melt, so all that is no ice is connected, and
        reaches the tile from two sides if its neighbours are several runs.
        """
        return sum(
            1 << cell
            for cell in cells_of(ice)
            if (around := self.neighbours[cell] & ice) in self._loose_among[cell]
            or (self._has_gaps and around != 0 and self._is_loose(cell, around, ice))
        )

    def _is_loose(self, cell: int, around: int, ice: int) -> bool:
        """Whether a tile at the edge may melt, seen from the whole ice."""
        return around.bit_count() < len(DIRECTIONS) and len(self._groups(ice ^ 1 << cell)) == 1

    def _loose(self, cell: int) -> frozenset[int]:
        """The sets of neighbours, not six, that are one run around the cell."""
        around = self._around[cell]
        present = [number for number, other in enumerate(around) if other is not None]
        subsets = itertools.chain.from_iterable(
            itertools.combinations(present, size) for size in range(1, len(DIRECTIONS))
        )
        return frozenset(
            sum(1 << other for number in subset if (other := around[number]) is not None)
            for subset in subsets
            if sum((number - 1) % len(DIRECTIONS) not in subset for number in subset) == 1
        )


@functools.lru_cache(16)
def board_of(rows: Rows) -> Board:
    """The board of these rows; the tables of recent ones are shared."""
    return Board(rows)
