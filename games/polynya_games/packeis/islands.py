"""Islands: the parts into which a position falls, and what a seat can collect where it is alone.

An *island* is a set of free floes with the penguins that can come to them. A penguin's own floe
leaves when it moves, so no penguin ever crosses it: two seas of free floes that only a penguin
joins are one island for this penguin alone, and two penguins beside each other join nothing.

Amounts are catches, ``64 * fish + floes``, as in :mod:`polynya_games.packeis.position`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from polynya_games.game import Step
from polynya_games.packeis.board import BIT, Board
from polynya_games.packeis.position import Layout, moves


class OutOfPositionsError(Exception):
    """More positions would have to be looked at than were allowed."""


class Island(NamedTuple):
    """Free floes, and the penguins that can come to them.

    Attributes:
        free: the bitboard of the free floes.
        penguins: the bitboard of the penguins, of all seats.
    """

    free: int
    penguins: int


def islands(board: Board, free: int, penguins: int) -> list[Island]:
    """The islands of a position; a penguin that cannot move is one without free floes.

    Args:
        board: the board.
        free: the bitboard of the floes without a penguin; those that no penguin reaches are in
            no island.
        penguins: the bitboard of all penguins.
    """
    found = []
    while penguins:
        island = _island_of(board, penguins & -penguins, free, penguins)
        penguins ^= island.penguins
        found.append(island)
    return found


def _island_of(board: Board, penguin: int, free: int, penguins: int) -> Island:
    area, inside = 0, penguin
    while True:
        floes = board.adjacent(area | inside) & free & ~area
        more = board.adjacent(floes) & penguins & ~inside
        if not floes:
            return Island(area, inside)
        area |= floes
        inside |= more


def reached(parts: Iterable[Island]) -> int:
    """The bitboard of the free floes of some islands."""
    floes = 0
    for part in parts:
        floes |= part.free
    return floes


def owner_of(island: Island, penguins: Sequence[int]) -> int | None:
    """The seat to which all penguins of an island belong; None if there are several.

    Args:
        island: the island.
        penguins: per seat the bitboard of its penguins.
    """
    for seat, own in enumerate(penguins):
        if island.penguins & own:
            return seat if island.penguins & own == island.penguins else None
    raise ValueError("no seat has a penguin on this island")


class Amounts:
    """The most that penguins can collect on islands where they are alone; each is found once.

    Args:
        layout: the board and its fish.
        most_positions: the positions that may be looked at.
    """

    def __init__(self, layout: Layout, most_positions: int) -> None:
        self._layout: Final = layout
        self._looked_at = 0
        self._board = layout.board
        self._most_positions = most_positions
        self._exact: dict[tuple[int, int], int] = {}
        self._bounds: dict[tuple[int, int], int] = {}

    def on(self, cells: int) -> int:
        """The sum of the catches of the floes of a bitboard."""
        catches = self._layout.catches
        total = 0
        while cells:
            lowest = cells & -cells
            cells ^= lowest
            total += catches[lowest.bit_length() - 1]
        return total

    def look(self) -> None:
        """Count one more position.

        Raises:
            OutOfPositionsError: there are more than were allowed.
        """
        self._looked_at += 1
        if self._looked_at > self._most_positions:
            raise OutOfPositionsError

    def alone(self, island: Island) -> int:
        """The most that the penguins of an island collect if no other penguin comes there.

        The floes under them at the end count: their seat takes them when it withdraws.

        Raises:
            OutOfPositionsError: more positions would have to be looked at than were allowed.
        """
        return self._alone(island, 0)

    def best_move(self, island: Island) -> Step | None:
        """A move with which the penguins of an island still collect the most; None without moves.

        Raises:
            OutOfPositionsError: more positions would have to be looked at than were allowed.
        """
        goal = self.alone(island)
        for step, gain, parts in self._moves(island):
            if gain + self._together(parts, goal - gain) == goal:
                return step
        return None

    def _alone(self, island: Island, needed: int) -> int:
        """The exact amount if it is ``needed`` or more, else any bound of it below ``needed``."""
        if not island.free:
            return self.on(island.penguins)
        key = (island.free, island.penguins)
        if (known := self._exact.get(key)) is not None:
            return known
        bound = self._bounds.get(key)
        if bound is None:
            bound = self.on(island.free | island.penguins)
        if bound < needed:
            return bound
        self.look()
        best = -1
        for _, gain, parts in self._moves(island):
            aim = max(best + 1, needed) - gain
            best = max(best, gain + self._together(parts, aim))
            if best >= bound:
                break
        (self._exact if best >= needed else self._bounds)[key] = best
        return best

    def _together(self, parts: Sequence[Island], needed: int) -> int:
        """The same of several islands."""
        if len(parts) == 1:
            return self._alone(parts[0], needed)
        bounds = [self.on(part.free | part.penguins) for part in parts]
        total = sum(bounds)
        for part, bound in zip(parts, bounds, strict=True):
            if total < needed:
                return total
            total += self._alone(part, needed - total + bound) - bound
        return total

    def _moves(self, island: Island) -> list[tuple[Step, int, list[Island]]]:
        """Each move, its catch and the islands after it, the most promising move first."""
        found = []
        for step in moves(self._board, island.penguins, island.free):
            origin, target = int(step[1]), int(step[2])
            penguins = island.penguins ^ BIT[origin] ^ BIT[target]
            parts = islands(self._board, island.free ^ BIT[target], penguins)
            left = reached(parts)
            ways = (self._board.neighbours[target] & left).bit_count()
            found.append((-self.on(left), ways, step, parts))
        found.sort(key=lambda each: each[:2])
        catches = self._layout.catches
        return [(step, catches[int(step[1])], parts) for _, _, step, parts in found]
