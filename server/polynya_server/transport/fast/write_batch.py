"""Batches writes: frames written while sockets are served are sent together at the batch's end.

A ``send`` wakes its receiver. A receiver without other work runs, answers and sleeps again before
the next turn is sent to the same process, so each turn pays for a wake-up; the turns of a batch
share one. Frames for one connection also share one system call.

The plain version has no batch: each frame is sent at once.
"""

from __future__ import annotations

from types import TracebackType
from typing import Protocol


class BatchedWriter(Protocol):
    """A writer with frames that are held back."""

    def flush(self) -> None:
        """Send them now."""

    def on_crash(self, error: Exception) -> None:
        """Sending them raised ``error``: a bug, which must not end other writers."""


class WriteBatch:
    """Holds back frames that are written in its context, and sends them when it exits.

    Attributes:
        is_open: whether writes are to be held back.
        writers: those that have written since the context began.
    """

    __slots__ = ("is_open", "writers")

    def __init__(self) -> None:
        self.is_open = False
        self.writers: list[BatchedWriter] = []

    def __enter__(self) -> None:
        self.is_open = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.is_open = False
        writers, self.writers = self.writers, []
        for writer in writers:
            try:
                writer.flush()
            except Exception as failure:
                writer.on_crash(failure)
