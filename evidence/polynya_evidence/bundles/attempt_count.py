"""Counts the attempts of each match: a host can break off one with a deal that they dislike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator


class AttemptCount:
    """The attempts of the matches that were played more than once."""

    def __init__(self) -> None:
        self._last: defaultdict[int, int] = defaultdict(int)
        self._reasons: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def add(self, number: int, attempt: int, reason: str) -> None:
        """Count the replay of an attempt.

        Args:
            number: the match's, in the schedule.
            attempt: from 1.
            reason: how it ended.
        """
        self._last[number] = max(self._last[number], attempt)
        self._reasons[number][reason] += 1

    def sentences(self) -> Iterator[str]:
        """A sentence for each match with several attempts, in the order of the schedule."""
        for number, last in sorted(self._last.items()):
            if last > 1:
                reasons = self._reasons[number]
                said = [f"{count} {reason}" for reason, count in sorted(reasons.items())]
                if lost := last - reasons.total():
                    said.append(f"{lost} ended by a crash, without a replay")
                yield f"match {number} was begun {last} times: {', '.join(said)}"
