"""Divides the cores of one worker among the blocks that its threads play."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager


class DrainingError(Exception):
    """The worker begins no more blocks."""


class WorkerCores:
    """The cores of a worker; blocks get them in the order of asking.

    So a block that needs many cores waits only for the blocks that asked before it.

    Args:
        count: the number of cores.
    """

    def __init__(self, count: int) -> None:
        self._count = self._free = count
        self._waiting: deque[tuple[int, Future[int]]] = deque()
        self._is_draining = False
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, wanted: int) -> Iterator[None]:
        """Wait for cores, and hold them until the context exits.

        Args:
            wanted: how many; a block that wants more than there are gets all of them.

        Raises:
            DrainingError: the worker drains, and the block has not begun.
        """
        cores = self.ask(wanted).result()
        try:
            yield
        finally:
            self.release(cores)

    def ask(self, wanted: int) -> Future[int]:
        """Ask for cores; the result is how many to release, as soon as the block has them."""
        asked: Future[int] = Future()
        with self._lock:
            self._waiting.append((min(wanted, self._count), asked))
            self._serve()
        return asked

    def release(self, cores: int) -> None:
        """Give cores back; other blocks get them."""
        with self._lock:
            self._free += cores
            self._serve()

    @property
    def is_draining(self) -> bool:
        """Whether no more blocks begin."""
        return self._is_draining

    def drain(self) -> None:
        """Let no more blocks begin; those that wait get an error."""
        with self._lock:
            self._is_draining = True
            self._serve()

    def _serve(self) -> None:
        while self._waiting and (self._is_draining or self._waiting[0][0] <= self._free):
            cores, asked = self._waiting.popleft()
            if self._is_draining:
                asked.set_exception(DrainingError())
            else:
                self._free -= cores
                asked.set_result(cores)
