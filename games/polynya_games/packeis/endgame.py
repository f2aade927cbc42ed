"""Exact endgames: what each seat collects when all play best, and how.

A position is *decided by counting* when no two seats share an island: a seat that plays best on its
own islands collects the most, and no move of another seat changes that. A search with two players
goes on until that is so. Best is the greatest difference of the catches, ``64 * fish + floes``: its
sign says who wins, as the ranking does.

With three and four players a shared island has no exact value: what one seat loses need not be what
another gains. Those positions have one only when they are decided by counting.

The search is depth-first alpha-beta with a table of positions (Knuth & Moore, "An Analysis of
Alpha-Beta Pruning", 1975).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from polynya_games.game import Step
from polynya_games.packeis.board import BIT
from polynya_games.packeis.islands import (
    Amounts,
    Island,
    OutOfPositionsError,
    islands,
    owner_of,
    reached,
)
from polynya_games.packeis.position import Layout, moves
from polynya_games.packeis.rules import PackeisState

MOST_POSITIONS: Final = 200_000
"""Some seconds on one core."""

_INFINITE: Final = 1 << 20
"""More than any difference of catches."""


class Exact(NamedTuple):
    """The end of a match when all play best.

    Attributes:
        fish_caught: per seat.
        floes_caught: per seat.
        line: the steps until then; empty if the match is over.
    """

    fish_caught: tuple[int, ...]
    floes_caught: tuple[int, ...]
    line: tuple[Step, ...]


def exact(position: PackeisState, most_positions: int = MOST_POSITIONS) -> Exact | None:
    """The end of a match from a position when all play best.

    Args:
        position: any position. The same one has the same answer, on every machine.
        most_positions: the positions to look at before giving up, and so the bound of time and
            memory.

    Returns:
        None during placement, where seats of three or four share an island, and where more
        positions would have to be looked at.
    """
    if position.phase == "placement":
        return None
    search = _Search(position.layout, most_positions)
    line = []
    try:
        while position.to_move is not None:
            if (step := search.best_step(position)) is None:
                return None
            line.append(step)
            position = position.apply_legal(step)
    except OutOfPositionsError:
        return None
    return Exact(position.fish_caught, position.floes_caught, tuple(line))


def is_decided(position: PackeisState) -> bool:
    """Whether no two seats share an island, so that counting tells the end of the match."""
    parts = islands(position.layout.board, position.free, position.occupied)
    return position.phase != "placement" and _are_decided(parts, position.penguins)


def _are_decided(parts: list[Island], penguins: tuple[int, ...]) -> bool:
    return all(owner_of(part, penguins) is not None for part in parts)


class _Child(NamedTuple):
    """A position after a move, for the seat that moves next.

    Attributes:
        step: the move that leads to it.
        gain: what the move collects.
        free, own, other: the bitboards, those of the seat that moves next first.
        least, most: between these is the difference that is still to come.
    """

    step: Step
    gain: int
    free: int
    own: int
    other: int
    least: int
    most: int


class _Search:
    """Finds differences of catches between two seats; what it has found it keeps."""

    def __init__(self, layout: Layout, most_positions: int) -> None:
        self._board = layout.board
        self._catches = layout.catches
        self._amounts = Amounts(layout, most_positions)
        self._table: dict[tuple[int, int, int], tuple[int, int]] = {}

    def best_step(self, position: PackeisState) -> Step | None:
        """A best step of the seat to move; None if the position has no exact value."""
        seat = position.to_move
        if seat is None:
            raise ValueError("the match is over")
        parts = islands(self._board, position.free, position.occupied)
        if _are_decided(parts, position.penguins):
            own = position.penguins[seat]
            with_moves = next(part for part in parts if part.penguins & own and part.free)
            return self._amounts.best_move(with_moves)
        if position.players > 2:
            return None
        return self._best_of_two(
            position.free, position.penguins[seat], position.penguins[1 - seat]
        )

    def _best_of_two(self, free: int, own: int, other: int) -> Step:
        children = self._children(free, own, other)
        best, found = -_INFINITE, children[0].step
        for child in children:
            value = child.gain - self._difference(child, -_INFINITE, child.gain - best)
            if value > best:
                best, found = value, child.step
        return found

    def _difference(self, at: _Child, alpha: int, beta: int) -> int:
        """The future catch of the seat to move without the future catch of the other one.

        Between ``alpha`` and ``beta`` it is exact; at most ``alpha`` it is an upper bound, at
        least ``beta`` a lower one.
        """
        if at.least == at.most or at.least >= beta:
            return at.least
        if at.most <= alpha:
            return at.most
        key = (at.free, at.own, at.other)
        least, most = self._table.get(key, (at.least, at.most))
        if least == most or least >= beta:
            return least
        if most <= alpha:
            return most
        self._amounts.look()
        alpha, beta = max(alpha, least), min(beta, most)
        best = -_INFINITE
        for child in self._children(at.free, at.own, at.other):
            now = max(alpha, best)
            value = child.gain - self._difference(child, child.gain - beta, child.gain - now)
            best = max(best, value)
            if best >= beta:
                break
        if best > alpha:
            least = best
        if best < beta:
            most = best
        self._table[key] = (least, most)
        return best

    def _children(self, free: int, own: int, other: int) -> list[_Child]:
        """The positions after each move, those first that promise most to the seat that moves."""
        found = []
        for step in moves(self._board, own, free):
            origin, target = int(step[1]), int(step[2])
            moved = own ^ BIT[origin] ^ BIT[target]
            parts = islands(self._board, free ^ BIT[target], moved | other)
            least, most = self._bounds(parts, other, moved)
            gain = self._catches[origin]
            found.append(_Child(step, gain, reached(parts), other, moved, least, most))
        found.sort(key=lambda child: child.least + child.most - 2 * child.gain)
        return found

    def _bounds(self, parts: list[Island], own: int, other: int) -> tuple[int, int]:
        """The least and the most that the seat of ``own`` collects more than the other one."""
        on = self._amounts.on
        least = most = 0
        for free, penguins in parts:
            if not penguins & other:
                amount = self._amounts.alone(Island(free, penguins))
                least, most = least + amount, most + amount
            elif not penguins & own:
                amount = self._amounts.alone(Island(free, penguins))
                least, most = least - amount, most - amount
            else:
                floes, mine, others = on(free), on(penguins & own), on(penguins & other)
                least += mine - floes - others
                most += mine + floes - others
        return least, most
