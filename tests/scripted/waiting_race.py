"""Race with rules that wait: they answer in threads only, and can be told to fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.scripted.race import RACE, Race

from polynya_games import Outcome, RulesFailed, State, Step


@dataclass
class Rules:
    """The other process, as far as a game sees it.

    Attributes:
        failing: the questions without a usable answer.
        asked: all questions so far.
        threads: the threads that asked.
    """

    failing: frozenset[tuple[Any, ...]] = frozenset()
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def answer(self, question: tuple[Any, ...], find: Callable[[], State]) -> State:
        """The position that is the answer."""
        self.asked.append(question)
        self.threads.add(threading.get_ident())
        if question in self.failing:
            raise RulesFailed("the process has ended", "race", str(question))
        return find()


class WaitingPosition:
    """A position of Race that remembers the positions that followed from it."""

    def __init__(self, known: State, rules: Rules) -> None:
        self._known = known
        self._rules = rules
        self._next: dict[tuple[Any, ...], WaitingPosition] = {}

    @property
    def players(self) -> int:
        """See :class:`State`."""
        return self._known.players

    @property
    def to_move(self) -> int | None:
        """See :class:`State`."""
        return self._known.to_move

    @property
    def turn_over(self) -> bool:
        """See :class:`State`."""
        return self._known.turn_over

    @property
    def forfeited(self) -> tuple[int, ...]:
        """See :class:`State`."""
        return self._known.forfeited

    @property
    def outcome(self) -> Outcome | None:
        """See :class:`State`."""
        return self._known.outcome

    def legal_steps(self) -> list[Step]:
        """See :class:`State`."""
        return self._known.legal_steps()

    def to_json(self) -> dict[str, Any]:
        """See :class:`State`."""
        return self._known.to_json()

    def apply(self, step: object) -> WaitingPosition:
        """See :class:`State`."""
        self._known.apply(step)  # whether it is legal is known without the process
        return self.apply_legal(tuple(step))  # type: ignore[arg-type]

    def apply_legal(self, step: Step) -> WaitingPosition:
        """See :class:`State`."""
        return self._after(("apply", *step), lambda: self._known.apply_legal(step))

    def forfeit(self, seat: int) -> WaitingPosition:
        """See :class:`State`."""
        after = self._known.forfeit(seat)
        return self._after(("forfeit", seat), lambda: after)

    def _after(self, question: tuple[Any, ...], find: Callable[[], State]) -> WaitingPosition:
        if question not in self._next:
            found = self._rules.answer(question, find)
            self._next[question] = WaitingPosition(found, self._rules)
        return self._next[question]


class WaitingRace(Race):
    """Race whose rules are asked in another process."""

    waits = True

    def __init__(self, rules: Rules) -> None:
        self.answering = rules

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> WaitingPosition:
        """The initial position."""
        found = self.answering.answer(("set_up",), lambda: RACE.setup(players, seed, options))
        return WaitingPosition(found, self.answering)
