"""Packeis am Pol on the opponents' time: answers to the best steps are there before they move.

Needs the games library: ``pip install polynya``.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from packeis_bot import PackeisSearch
from polynya_client import Bot, Cancellation, Match, Moved, Turn, run
from polynya_games import Step, apply_turn
from polynya_games.packeis import PACKEIS, PackeisState

SECONDS = 0.05
"""How long one answer is thought about in advance."""


@dataclass
class Memory:
    """Our knowledge of a match: the position now, and our answers to positions that may come."""

    position: PackeisState
    answers: dict[PackeisState, list[Step]] = field(default_factory=dict)


class Pondering(Bot):
    """Follows the position by itself, and thinks while the others do."""

    def match_start(self, match: Match) -> None:
        """Begin where the match does."""
        match.memory = Memory(PACKEIS.state_from_json(match.state))

    def moved(self, match: Match, moved: Moved) -> None:
        """Follow a turn, ours too; answers to what did not come are of no use any more."""
        memory: Memory = match.memory
        memory.position = apply_turn(memory.position, moved.steps)
        if moved.seat == match.seat:
            memory.answers.clear()

    def ponder(self, match: Match, until: Cancellation) -> None:
        """Think of answers, to the opponent's best step first, until something happens."""
        memory: Memory = match.memory
        position = memory.position
        if position.to_move in (None, match.seat):
            return
        promise = PackeisSearch(position, 0).promise
        for step in sorted(position.legal_steps(), key=lambda s: -promise(position, s)):
            if until.is_set():
                return
            after = position.apply_legal(step)
            if after.to_move == match.seat and after not in memory.answers:
                search = PackeisSearch(after, time.monotonic() + SECONDS)
                memory.answers[after] = search.best_turn()

    def turn(self, turn: Turn) -> list[Step]:
        """The prepared answer; without it, the best answer that is found now."""
        position = PACKEIS.state_from_json(turn.state)
        answer = turn.match.memory.answers.get(position)
        turn.info["text"] = "pondered" if answer else "not foreseen"
        return answer or PackeisSearch(position, turn.think_until()).best_turn()


if __name__ == "__main__":
    run(Pondering(), name="ponder", games=["packeis"], wants=["state", "moved"])
