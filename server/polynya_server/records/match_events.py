"""The events of a match (turns played, forfeits), and the log that keeps them encoded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import msgspec

from polynya_common.reasons import Cause
from polynya_protocol.messages import ForfeitReason, Step


class TurnRecord(
    msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="turn", tag_field="event"
):
    """One played turn, with the times that settle a complaint about the clock.

    Times ending in ``_us`` are microseconds on the server's monotonic clock since the match began.

    Attributes:
        turn: its number, from 1.
        seat: the seat that moved.
        steps: the steps that were played.
        queued_us: when the ``turn`` frame was queued.
        flushed_us: when the operating system had taken all of it: the clock starts.
        first_byte_us: when the answer's first byte arrived.
        last_byte_us: when its last byte arrived: the clock stops.
        kernel: whether these two times are the kernel's (else the moment the bytes were read).
        charged_ms: the time charged to the player.
        remaining_ms: each seat's budget after the turn, None without one.
        loop_delay_us: the largest delay of the server's event loop meanwhile.
        info: the bot's own remarks, decoded (at most 1 KiB as msgpack); None without.
    """

    turn: int
    seat: int
    steps: list[Step]
    queued_us: int
    flushed_us: int
    first_byte_us: int
    last_byte_us: int
    kernel: bool
    charged_ms: int
    remaining_ms: list[int | None]
    loop_delay_us: int
    info: dict[str, Any] | None = None


class ForfeitRecord(
    msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="forfeit", tag_field="event"
):
    """One forfeit; its times (as in :class:`TurnRecord`) are those of the turn it happened in.

    Attributes:
        turn: the number of the pending turn, 0 before the first.
        seat: the seat that forfeited.
        reason: why, one of the contract's words.
        detail: what was wrong; the sentence that was sent, in records of earlier versions.
        limit_ms: the turn's time limit, None if this seat was not to move.
        charged_ms: the time used when the forfeit was declared.
        refused_steps: the `steps` received instead of a legal turn, of any form; None without any.
            Bounded: see :func:`bounded_steps`.
        refused_left_out: number of steps after these, which are not recorded.
    """

    turn: int
    seat: int
    reason: ForfeitReason
    detail: Cause
    queued_us: int | None = None
    flushed_us: int | None = None
    first_byte_us: int | None = None
    last_byte_us: int | None = None
    kernel: bool = False
    limit_ms: int | None = None
    charged_ms: int | None = None
    loop_delay_us: int = 0
    refused_steps: Any = None
    refused_left_out: int = 0

    @property
    def wall_ms(self) -> int | None:
        """The wall time of the turn, up to the answer or the forfeit; None outside of a turn."""
        if self.last_byte_us is None or self.flushed_us is None:
            return self.charged_ms
        return round((self.last_byte_us - self.flushed_us) / 1000)


MatchEvent = TurnRecord | ForfeitRecord

REFUSED_BYTES = 4096
"""Maximum size of recorded refused steps, in bytes of msgpack."""

_encode = msgspec.msgpack.Encoder().encode


def bounded_steps(steps: object) -> tuple[Any, int]:
    """Cut refused steps to the size that a record keeps; return them and the number cut off.

    A value that is not a list is kept whole or not at all.
    """
    if len(_encode(steps)) <= REFUSED_BYTES:
        return steps, 0
    if not isinstance(steps, list):
        return None, 0
    size = 0
    for count, step in enumerate(steps):
        size += len(_encode(step))
        if size > REFUSED_BYTES:
            return steps[:count], len(steps) - count
    return steps, 0


_decode_event = msgspec.msgpack.Decoder(MatchEvent).decode


class EventLog(Sequence[MatchEvent]):
    """A list of events, stored encoded.

    Events are encoded on arrival and decoded for each reader: a turn's record is ten objects and
    more, and keeping those of a thousand matches costs memory and garbage-collector time.

    Attributes:
        encoded: the events as msgpack, in their order.
        forfeits: the forfeits among them.
    """

    __slots__ = ("encoded", "forfeits")

    def __init__(self, events: Iterable[MatchEvent] = ()) -> None:
        self.encoded: list[bytes] = []
        self.forfeits: list[ForfeitRecord] = []
        for event in events:
            self.append(event)

    def append(self, event: MatchEvent) -> None:
        """Add an event at the end."""
        self.encoded.append(_encode(event))
        if type(event) is ForfeitRecord:
            self.forfeits.append(event)

    def __iter__(self) -> Iterator[MatchEvent]:
        """Iterate over the present events."""
        return map(_decode_event, list(self.encoded))

    def __len__(self) -> int:
        """How many events there are."""
        return len(self.encoded)

    @overload
    def __getitem__(self, index: int) -> MatchEvent: ...
    @overload
    def __getitem__(self, index: slice) -> list[MatchEvent]: ...
    def __getitem__(self, index: int | slice) -> MatchEvent | list[MatchEvent]:
        """One event, or some of them as a list."""
        if isinstance(index, slice):
            return [_decode_event(event) for event in self.encoded[index]]
        event: MatchEvent = _decode_event(self.encoded[index])
        return event

    def __eq__(self, other: object) -> bool:
        """Compare with another log or with a list of events."""
        return list(self) == list(other) if isinstance(other, (EventLog, list)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """The events as a list shows them."""
        return repr(list(self))
