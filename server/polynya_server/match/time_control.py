"""The clocks of a match: checks them, keeps each player's budget, limits each turn."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, cast

from polynya_protocol.messages import Clock

MAX_CLOCK_MS: Final = 10**12
"""Upper bound of each time of a clock; clients in every language can compute with it."""

UNTIMED_MS: Final = 24 * 60 * 60 * 1000
"""Upper bound for the turns of untimed seats."""


def check_clock(clock: Clock) -> None:
    """Refuse a clock without any turn limit, and times below zero or over the maximum.

    Raises:
        ValueError: says which.
    """
    if clock.initial_ms is None and clock.move_ms is None:
        raise ValueError("a clock needs initial_ms or move_ms: a turn must have a limit")
    for name in ("initial_ms", "increment_ms", "move_ms"):
        value = getattr(clock, name)
        if value is not None and value < 0:
            raise ValueError(f"{name} of a clock is {value}; a time cannot be below zero")
        if value is not None and value > MAX_CLOCK_MS:
            raise ValueError(
                f"{name} of a clock is {value}; it is at most {MAX_CLOCK_MS} ms, 31 years"
            )


def check_untimed(untimed: Collection[int], players: int, *, rated: bool) -> None:
    """Refuse untimed seats in a rated match, and seats that do not exist.

    Raises:
        ValueError: says which.
    """
    if rated and untimed:
        raise ValueError("a rated match has no untimed seats: all players have the same clock")
    for seat in untimed:
        if not 0 <= seat < players:
            raise ValueError(f"the untimed seat {seat} is none of the seats 0 to {players - 1}")


class MatchClock:
    """Keeps the budgets of a match's players.

    Args:
        clock: the time limits; ``initial_ms`` is each player's budget, ``increment_ms`` is added
            after each of its turns, ``move_ms`` caps each turn.
        players: the number of seats.
        untimed: the seats without a budget; each of their turns may take ``UNTIMED_MS``.
    """

    __slots__ = ("_budgets", "_clock", "_increment_ms", "_move_ms", "_untimed")

    def __init__(self, clock: Clock, players: int, untimed: Collection[int] = ()) -> None:
        check_clock(clock)
        self._clock = clock
        self._untimed = frozenset(untimed)
        self._budgets = [
            None if seat in self._untimed else clock.initial_ms for seat in range(players)
        ]
        self._increment_ms = clock.increment_ms or 0
        self._move_ms = clock.move_ms

    def copy(self) -> MatchClock:
        """A clock with the same budgets, which go on apart."""
        other = MatchClock(self._clock, len(self._budgets), self._untimed)
        other._budgets = self._budgets.copy()
        return other

    def limit_ms(self, seat: int) -> int:
        """The time for this seat's turn: the smaller of its budget and ``move_ms``."""
        if seat in self._untimed:
            return UNTIMED_MS
        budget, move_ms = self._budgets[seat], self._move_ms
        if budget is None or (move_ms is not None and move_ms < budget):
            return cast("int", move_ms)  # one of the two is given: see check_clock
        return budget

    def charge(self, seat: int, charged_ms: int) -> None:
        """Charge the time of a turn that was in time, and add the increment."""
        budget = self._budgets[seat]
        if budget is not None:
            self._budgets[seat] = budget - charged_ms + self._increment_ms

    def remaining_ms(self) -> list[int | None]:
        """Each seat's budget, None without one."""
        return self._budgets.copy()
