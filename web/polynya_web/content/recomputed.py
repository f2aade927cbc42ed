"""Values that take a while to compute from a database: computed in a thread, and kept.

A value is kept until results have come, for ten times as long as it took in any case, and for ten
minutes at most, since results also become public as time goes by. One is computed at a time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import trio

from polynya_store import Store
from polynya_web.content.background import DatabaseThreads

REST = 10
LONGEST_KEPT_S = 600

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BusyError(Exception):
    """Too many requests wait for values."""


@dataclass(frozen=True, slots=True)
class _Kept(Generic[Value]):
    """An entry of the cache; times are on trio's clock.

    Attributes:
        state: what was recorded when it was computed, see ``RatingRepository.state``.
    """

    value: Value
    state: tuple[int, int]
    fresh_until: float
    stale_from: float


class Recomputed(Generic[Key, Value]):
    """Cache of values.

    Args:
        ask: calls a function in a thread.
        compute: gives the value of a key.
        shortest_s: how long a value is kept even if results have come.
        most_kept: values; those not asked for the longest go first.
        most_waiting: requests that wait for a value.
    """

    def __init__(
        self,
        ask: DatabaseThreads,
        compute: Callable[[Store, Key], Value],
        *,
        shortest_s: float = 0.0,
        most_kept: int,
        most_waiting: int,
    ) -> None:
        self._ask = ask
        self._compute = compute
        self._shortest_s = shortest_s
        self._most_kept = most_kept
        self._most_waiting = most_waiting
        self._kept: OrderedDict[Key, _Kept[Value]] = OrderedDict()
        self._lock = trio.Lock()

    async def of(self, store: Store, key: Key) -> Value:
        """The value of a key, at most a little while old.

        Raises:
            BusyError: too many others wait for theirs.
        """
        kept = self._kept.get(key)
        if kept is not None and (self._lock.locked() or self._is_fresh(kept)):
            return kept.value
        if self._lock.statistics().tasks_waiting >= self._most_waiting:
            raise BusyError
        async with self._lock:
            kept = self._kept.get(key)
            if kept is None or not await self._holds(store, kept):
                kept = await self._computed(store, key)
                self._kept[key] = kept
            self._kept.move_to_end(key)
            while len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)
            return kept.value

    async def _computed(self, store: Store, key: Key) -> _Kept[Value]:
        # Read first: what changes while the rest is read makes the next one.
        state = await self._ask(store.ratings.state)
        began = trio.current_time()
        value = await self._ask(self._compute, store, key)
        ended = trio.current_time()
        fresh_s = max(REST * (ended - began), self._shortest_s)
        return _Kept(value, state, ended + fresh_s, ended + LONGEST_KEPT_S)

    async def _holds(self, store: Store, kept: _Kept[Value]) -> bool:
        if self._is_fresh(kept):
            return True
        now = trio.current_time()
        return now < kept.stale_from and kept.state == await self._ask(store.ratings.state)

    def _is_fresh(self, kept: _Kept[Value]) -> bool:
        return trio.current_time() < kept.fresh_until
