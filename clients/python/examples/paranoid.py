"""Paranoid search for any game of the library: alpha-beta as if all others played against us.

With two players this is plain alpha-beta. Depth counts turns, iterative deepening stops at the
deadline, and the best turn of the deepest finished iteration stands. A game's bot says what a
position is worth (``estimate``) and which steps look good (``promise``).

Sturtevant and Korf, "On Pruning Techniques for Multi-Player Games", 2000 (paranoid search);
Schaeffer, "The History Heuristic", 1983 (the order of steps).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from polynya_games import State, Step

WIN = 10_000.0
"""The value of winning alone; the margin in points is added to it."""
MAX_DEPTH = 40

Position = TypeVar("Position", bound=State)
Turns = list[tuple[float, list[Step], Position]]


class OutOfTime(Exception):  # noqa: N818 - not an error, the end of an iteration
    """The deadline has come."""


class Search(ABC, Generic[Position]):
    """The search for one turn.

    Attributes:
        seat: ours.
        rivals: the other seats that have not forfeited.
        depth: how many turns the last finished iteration looked ahead.
        score: what it found our turn to be worth.
        nodes: positions looked at.
    """

    def __init__(self, root: Position, deadline: float) -> None:
        if root.to_move is None:
            raise ValueError("the match is over: there is no turn to search for")
        self.root = root
        self.seat: int = root.to_move
        self.rivals = [
            seat for seat in range(root.players) if seat not in (self.seat, *root.forfeited)
        ]
        self.deadline = deadline
        self.depth = 0
        self.score = 0.0
        self.nodes = 0
        self._cuts: dict[Step, int] = {}

    @abstractmethod
    def estimate(self, position: Position) -> float:
        """The worth of a position in the middle of the match to us."""

    @abstractmethod
    def promise(self, position: Position, step: Step) -> float:
        """How early a step should be looked at; greater is earlier."""

    def best_turn(self) -> list[Step]:
        """The best turn that was found in time."""
        turns = self._first_look()
        for depth in range(1, MAX_DEPTH):
            try:
                turns = self._iteration(turns, depth)
            except OutOfTime:
                break
            self.depth, self.score = depth, turns[0][0]
            if len(turns) == 1 or abs(self.score) > WIN / 2:
                break
        return turns[0][1]

    def margin(self, worth: Sequence[float]) -> float:
        """Ours minus the best of those who can still be ahead of us."""
        return worth[self.seat] - max(worth[seat] for seat in self.rivals)

    def _first_look(self) -> Turns[Position]:
        """All our turns, the most promising first; at least one, even if it is late."""
        turns: Turns[Position] = []
        for steps, position in whole_turns(self.root):
            value = self._leaf(position)
            turns.append((value, steps, position))
            if time.monotonic() > self.deadline:
                break
        return sorted(turns, key=lambda turn: -turn[0])

    def _leaf(self, position: Position) -> float:
        return self._result(position) if position.to_move is None else self.estimate(position)

    def _iteration(self, turns: Turns[Position], depth: int) -> Turns[Position]:
        alpha = -2 * WIN
        searched: Turns[Position] = []
        for _, steps, position in turns:
            value = self._value(position, depth - 1, alpha, 2 * WIN)
            searched.append((value, steps, position))
            alpha = max(alpha, value)
        return sorted(searched, key=lambda turn: -turn[0])

    def _value(self, position: Position, depth: int, alpha: float, beta: float) -> float:
        """The worth of a position to us within the window, looking ``depth`` turns ahead."""
        self.nodes += 1
        if time.monotonic() > self.deadline:
            raise OutOfTime
        if position.to_move is None:
            return self._result(position)
        if depth == 0 and position.turn_over:
            return self.estimate(position)
        ours = position.to_move == self.seat
        for step in self._ordered(position):
            child = position.apply_legal(step)
            value = self._value(child, depth - child.turn_over, alpha, beta)
            if ours:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                self._cuts[step] = self._cuts.get(step, 0) + 1
                break
        return alpha if ours else beta

    def _ordered(self, position: Position) -> list[Step]:
        cuts, promise = self._cuts, self.promise
        return sorted(
            position.legal_steps(),
            key=lambda step: -(cuts.get(step, 0) + promise(position, step)),
        )

    def _result(self, position: Position) -> float:
        """The value of the end of the match: who won, then by how much."""
        if (outcome := position.outcome) is None:
            raise ValueError("the match goes on: there is no result")
        ranks = outcome.ranking
        best_rival = min(ranks[seat] for seat in self.rivals)
        ahead = (ranks[self.seat] < best_rival) - (ranks[self.seat] > best_rival)
        return WIN * ahead + self.margin(outcome.scores)


def whole_turns(position: Position) -> Iterator[tuple[list[Step], Position]]:
    """Every turn as its steps, with the position after it."""
    for step in position.legal_steps():
        after = position.apply_legal(step)
        if after.to_move is None or after.turn_over:
            yield [step], after
        else:
            for steps, end in whole_turns(after):
                yield [step, *steps], end
