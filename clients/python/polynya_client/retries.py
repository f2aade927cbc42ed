"""How long to wait before the next attempt to connect, and when to give up."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from polynya_client.errors import ClientError, GaveUp, ServerError, ServerLeft

COMES_BACK_AFTER = frozenset({"server_full", "shutting_down"})
"""Fatal errors that say nothing against the bot: later it is welcome."""

_AFTER_A_LOSS = 0.1
_AFTER_A_WORD = 2.5
_LONGEST = 5.0
_STEADY = 5.0


class Retries:
    """The pauses of a bot that wants to come back, in seconds.

    They double from 0.1 to 5, from 2.5 where the server has said that it takes no bot now, and each
    is shortened by up to a half at random, so that bots that left together do not return together.
    A session of 5 s begins them anew, and any session does that a lost connection ended: its bot
    may be in a match.

    Args:
        total: how long to try, from the first failure on or after any welcome; may be infinite.
        clock: the time in seconds.
        dice: a random number from 0 to 1.
    """

    def __init__(
        self,
        total: float,
        clock: Callable[[], float] = time.monotonic,
        dice: Callable[[], float] = random.random,
    ) -> None:
        self._total = total
        self._clock = clock
        self._dice = dice
        self._pause = _AFTER_A_LOSS
        self._failing_since: float | None = None
        self._welcome_at: float | None = None

    def welcome(self) -> None:
        """A session has begun."""
        self._welcome_at = self._clock()
        self._failing_since = None

    def after(self, trouble: ClientError) -> float:
        """How long to wait after this.

        Raises:
            GaveUp: the time for attempts is over.
            ServerError: trouble itself, if later would be no better.
        """
        if isinstance(trouble, ServerError) and trouble.code not in COMES_BACK_AFTER:
            raise trouble
        now = self._clock()
        if self._welcome_at is not None and (
            not _is_a_word(trouble) or now - self._welcome_at >= _STEADY
        ):
            self._pause = _AFTER_A_LOSS
        self._welcome_at = None
        if self._failing_since is None:
            self._failing_since = now
        left = self._failing_since + self._total - now
        if left <= 0:
            raise GaveUp(f"{trouble}; gave up after {self._total:g} s") from trouble
        return min(self._next(trouble), left)

    def _next(self, trouble: ClientError) -> float:
        pause = self._pause
        if _is_a_word(trouble):
            pause = max(pause, _AFTER_A_WORD)
        self._pause = min(pause * 2, _LONGEST)
        return pause * (1 - self._dice() / 2)


def _is_a_word(trouble: ClientError) -> bool:
    """Whether the server has said that it takes no bot now."""
    return isinstance(trouble, ServerError | ServerLeft)
