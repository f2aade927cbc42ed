"""A turn that the server asks this bot for, and whether its search is still wanted."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

from polynya_client.codec import Message
from polynya_client.errors import NotWanted
from polynya_client.events import Legal, Player, Step, Steps, field, optional
from polynya_client.match import Match


class Cancellation:
    """Tells a search that its result is not wanted any more; like a ``threading.Event``.

    It is set when the turn's time is over, the match has ended or the connection is lost. Any
    thread may ask, and asking is cheap.
    """

    def __init__(self, deadline: float = math.inf) -> None:
        self._deadline = deadline
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._calls: list[Callable[[], object]] = []

    def is_set(self) -> bool:
        """Whether the search is to stop now."""
        return self._event.is_set() or time.monotonic() >= self._deadline

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set, at most ``timeout`` seconds; returns whether it is set."""
        left = self._deadline - time.monotonic()
        patience = min(left, math.inf if timeout is None else timeout)
        self._event.wait(None if patience == math.inf else max(patience, 0))
        return self.is_set()

    def on_cancel(self, call: Callable[[], object]) -> None:
        """Let something be called, in another thread, when the server waits no longer.

        That is later than ``is_set`` if the time is over. It is called at once if that is past.
        """
        with self._lock:
            if not self._event.is_set():
                self._calls.append(call)
                return
        call()

    def cancel(self) -> None:
        """Set it."""
        with self._lock:
            self._event.set()
            calls, self._calls = self._calls, []
        for call in calls:
            call()


class TurnFacts:
    """One turn of a bot, with its deadline; subclasses ask the server for more.

    Attributes:
        match: the match it belongs to.
        number: the turn's number in the match, from 1.
        remaining_ms: the time it had when it arrived, in ms.
        deadline: when that time is over, on the clock of ``time.monotonic()``, in seconds.
        cancelled: tells a search that its result is not wanted any more: the time is over, the
            match has ended, or the connection is lost. Ask ``is_set()``, in any thread.
        message: the server's message, with keys that this version does not know.
        info: remarks to send with the move (``score``, ``depth``, ``text`` and so on), kept in the
            replay; at most 1 KiB.
    """

    def __init__(self, match: Match, message: Message, arrived: float) -> None:
        self.match = match
        self.number: int = field(message, "turn", int)
        self.remaining_ms: int = field(message, "remaining_ms", int)
        self.deadline: float = arrived + self.remaining_ms / 1000
        self.info: dict[str, Any] = {}
        self.cancelled = Cancellation(self.deadline)
        self.message = message
        self._state: dict[str, Any] | None = optional(message, "state", dict)
        self._legal: list[Step] | None = optional(message, "legal", list)

    @property
    def game(self) -> str:
        """The game's name."""
        return self.match.game

    @property
    def seat(self) -> int:
        """Our seat."""
        return self.match.seat

    @property
    def players(self) -> tuple[Player, ...]:
        """All players, by seat."""
        return self.match.players

    @property
    def options(self) -> dict[str, Any]:
        """The game's set-up options."""
        return self.match.options

    @property
    def state(self) -> Any:
        """The position, a dict as in the game's rules.

        For type checkers: ``state: PackeisState = turn.state``, from ``polynya_client.positions``.

        Raises:
            NotWanted: the bot runs without ``wants=["state"]``.
        """
        if self._state is None:
            raise NotWanted('this turn has no state: ask for it with run(..., wants=["state"])')
        return self._state

    @property
    def legal(self) -> list[Step]:
        """The legal first steps of the turn.

        Raises:
            NotWanted: the bot runs without ``wants=["legal"]``.
        """
        if self._legal is None:
            raise NotWanted('this turn has no legal steps: ask with run(..., wants=["legal"])')
        return self._legal

    def wanted(self) -> dict[str, Any]:
        """The parts that came because the bot wants them: ``state``, ``legal``, both or neither."""
        both = {"state": self._state, "legal": self._legal}
        return {key: value for key, value in both.items() if value is not None}

    def resign(self) -> None:
        """Give the match up."""
        self.match.resign()

    @property
    def remaining(self) -> float:
        """The time that is left now, in seconds; negative when it is too late."""
        return self.deadline - time.monotonic()

    def time_left(self, margin_ms: int = 0) -> float:
        """The time that is left now without a margin, in seconds; never negative."""
        return max(self.remaining - margin_ms / 1000, 0)

    def think_until(self, turns_left: int = 20, margin_ms: int = 60) -> float:
        """When to stop thinking, on the clock of ``time.monotonic()``, in seconds.

        That is after four fifths of the turn's time, which with a budget for the match is a part
        of that budget and the increment; earlier where less than the margin would be left.

        Args:
            turns_left: how many more turns of ours the match may have.
            margin_ms: what is kept for the network, for other programs on the same processor and
                for the garbage collector, as long as three tenths of the time remain to think.
        """
        clock = self.match.clock
        allotted = float(self.remaining_ms)
        if clock.initial_ms is not None:
            allotted = min(allotted, allotted / turns_left + (clock.increment_ms or 0))
        thinking = max(0.3 * allotted, min(0.8 * allotted, self.remaining_ms - margin_ms))
        return self.deadline - (self.remaining_ms - thinking) / 1000


class Turn(TurnFacts):
    """A turn of a bot that waits for answers by blocking; its attributes are above."""

    def __init__(
        self,
        match: Match,
        message: Message,
        arrived: float,
        ask: Callable[[Turn, Steps], Legal],
    ) -> None:
        super().__init__(match, message, arrived)
        self._ask = ask

    def legal_after(self, steps: Steps) -> Legal:
        """The steps that may follow ``steps``, asked of the server while our clock runs.

        Raises:
            TurnLost: a step is illegal, or the turn is not asked for any more.
        """
        return self._ask(self, steps)
