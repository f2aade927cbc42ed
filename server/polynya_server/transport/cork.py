"""What is written while sockets are served leaves together, when they have been.

A ``send`` wakes its receiver, and a receiver that had nothing to do runs, answers and sleeps before
the next turn is sent to the same process: each turn pays for a wake-up. Sent one after the other,
the turns of 16 answers pay for one. With 1,000 matches and all bots in one process a turn took
57 µs of the server's processor instead of 65 (medians of five runs in alternation). What several
calls write to one connection leaves in one call of the operating system too: what the others have
played, and the turn of who is next.

The price is that the first turn of a batch waits for the last answer to be judged, so batches are
small (``cohort.BATCH``).
"""

from __future__ import annotations

from types import TracebackType
from typing import Protocol


class Writer(Protocol):
    """Has written something that is held back."""

    def uncork(self) -> None:
        """Send it now."""

    def on_crash(self, error: Exception) -> None:
        """Sending it raised ``error``: a bug, which must end no one else."""


class Cork:
    """Holds back what is written inside its ``with`` block until the block's end.

    Attributes:
        is_in: whether what is written now is to be held back.
        writers: who has written something since the block began.
    """

    __slots__ = ("is_in", "writers")

    def __init__(self) -> None:
        self.is_in = False
        self.writers: list[Writer] = []

    def __enter__(self) -> None:
        self.is_in = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.is_in = False
        writers, self.writers = self.writers, []
        for writer in writers:
            try:
                writer.uncork()
            except Exception as failure:
                writer.on_crash(failure)
