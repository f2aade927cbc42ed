"""The opponents' scores as Buchholz and Sonneborn-Berger count them (C.07, 15 and 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polynya_contest.pairing.tie_breaks.history import Entry, Histories


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of one round of a bot.

    Attributes:
        score: the opponent's, or that of the dummy that stands for one.
        value: what is added: the score, or for Sonneborn-Berger the score times the result.
        voluntary: whether the bot itself is the reason why the round was not played.
    """

    score: float
    value: float
    voluntary: bool


class Opponents:
    """Opponents' scores at one moment of a tournament.

    Args:
        histories: of all bots.
        draw: what a drawn round gives.
        scheduled: whether all rounds were drawn in advance, as in a round robin. Then a walkover
            counts as a match against the opponent who missed it (15.2). Else it is an unplayed
            round (16).
    """

    def __init__(self, histories: Histories, draw: float, *, scheduled: bool) -> None:
        self._histories = histories
        self._draw = draw
        self._scheduled = scheduled
        self.scores: Mapping[str, float] = {
            name: sum((entry.score for entry in entries), 0.0)
            for name, entries in histories.items()
        }
        self._adjusted = {name: self._adjusted_score(name) for name in histories}

    def buchholz(self, name: str) -> list[Contribution]:
        """The scores of a bot's opponents, round by round."""
        return [
            Contribution(score, score, self._is_voluntary(entry))
            for entry, score in self._rounds(name)
        ]

    def sonneborn_berger(self, name: str) -> list[Contribution]:
        """The scores of a bot's opponents, each times what the bot scored against it."""
        return [
            Contribution(score, score * entry.score, self._is_voluntary(entry))
            for entry, score in self._rounds(name)
        ]

    def _rounds(self, name: str) -> list[tuple[Entry, float]]:
        return [(entry, self._score(name, entry)) for entry in self._histories[name]]

    def _score(self, name: str, entry: Entry) -> float:
        """Of the opponent, or of the dummy (16.4): the bot's own, but not more than the caps."""
        opponent = entry.opponent
        if opponent is not None and (entry.kind == "played" or self._scheduled):
            return self._adjusted[opponent]
        if self._scheduled:
            return 0.0
        most = (
            self._draw * len(self._histories[name])
            if opponent is None
            else self._adjusted[opponent]
        )
        return min(self.scores[name], most)

    def _is_voluntary(self, entry: Entry) -> bool:
        return entry.is_voluntary and not self._scheduled

    def _adjusted_score(self, name: str) -> float:
        """A bot's score for its opponents: a draw for each round after it left (16.3)."""
        if self._scheduled:
            return self.scores[name]
        entries = self._histories[name]
        present = [number for number, entry in enumerate(entries) if not entry.is_voluntary]
        last = max(present, default=-1)
        return sum(
            self._draw if number > last and entry.opponent is None else entry.score
            for number, entry in enumerate(entries)
        )


def total(contributions: Sequence[Contribution], lowest: int = 0, highest: int = 0) -> float:
    """The sum without the given numbers of the lowest and of the highest (14.1 to 14.3, 16.5)."""
    left = list(contributions)
    for _ in range(min(lowest, len(left))):
        left.remove(_least(left))
    for _ in range(min(highest, len(left))):
        left.remove(max(left, key=lambda one: (one.score, one.value)))
    return sum((one.value for one in left), 0.0)


def _least(contributions: Sequence[Contribution]) -> Contribution:
    """The least significant one; an absence of the bot's own instead if it gives as much (16.5)."""
    least = min(contributions, key=lambda one: (one.score, one.value))
    absences = [one for one in contributions if one.voluntary]
    absence = min(absences, key=lambda one: (one.value, one.score), default=None)
    return least if absence is None or absence.value < least.value else absence
