"""A player's answer to a turn, and when he was asked and has answered."""

from __future__ import annotations

from typing import Any, Final


class Timing:
    """The times of a turn, in monotonic ns.

    Attributes:
        queued_ns: the question was queued.
        flushed_ns: it had been handed to the operating system in full: the clock started.
        first_ns: the answer's first byte had arrived; without an answer, the asking ended.
        last_ns: its last byte had arrived: the clock stopped; without an answer as above.
        limit_ms: what the turn was allowed to take.
        answered: whether there was an answer.
        kernel: whether the times of the answer are the kernel's.
        allowance_ns: the lag that is not charged.
        loop_delay_ns: the largest delay of the server's event loop seen meanwhile.
    """

    __slots__ = (
        "allowance_ns",
        "answered",
        "first_ns",
        "flushed_ns",
        "kernel",
        "last_ns",
        "limit_ms",
        "loop_delay_ns",
        "queued_ns",
    )

    def __init__(
        self,
        queued_ns: int,
        flushed_ns: int,
        first_ns: int,
        last_ns: int,
        limit_ms: int,
        answered: bool = True,
        kernel: bool = False,
        allowance_ns: int = 0,
        loop_delay_ns: int = 0,
    ) -> None:
        self.queued_ns: Final = queued_ns
        self.flushed_ns: Final = flushed_ns
        self.first_ns: Final = first_ns
        self.last_ns: Final = last_ns
        self.limit_ms: Final = limit_ms
        self.answered: Final = answered
        self.kernel: Final = kernel
        self.allowance_ns: Final = allowance_ns
        self.loop_delay_ns: Final = loop_delay_ns


class Answer:
    """Steps of any form, on time or late.

    Attributes:
        steps: what the player sent, unchecked.
        info: the bot's remarks, at most 1 KiB as msgpack.
        timing: when it was asked and answered.
        before: what came before it and answered nothing, the end of a sentence.
    """

    __slots__ = ("before", "info", "steps", "timing")

    def __init__(
        self, steps: object, info: dict[str, Any] | None, timing: Timing, before: str = ""
    ) -> None:
        self.before: Final = before
        self.steps: Final = steps
        self.info: Final = info
        self.timing: Final = timing
