"""The events of a match in play, each as the bytes that the replay will hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import msgspec

from polynya_server.records.match_events import ForfeitRecord, MatchEvent

_encode_event = msgspec.msgpack.Encoder().encode
_decode_event = msgspec.msgpack.Decoder(MatchEvent).decode


class EventLog(Sequence[MatchEvent]):
    """A list of events that keeps them encoded.

    Events are encoded on arrival: a turn's record is ten objects and more, and keeping those of a
    thousand matches costs memory and the collector's time. They are decoded for each reader.

    Attributes:
        encoded: the events as msgpack, in their order.
        forfeits: those of them that are forfeits.
    """

    __slots__ = ("encoded", "forfeits")

    def __init__(self, events: Iterable[MatchEvent] = ()) -> None:
        self.encoded: list[bytes] = []
        self.forfeits: list[ForfeitRecord] = []
        for event in events:
            self.append(event)

    def append(self, event: MatchEvent) -> None:
        """Add an event at the end."""
        self.encoded.append(_encode_event(event))
        if type(event) is ForfeitRecord:
            self.forfeits.append(event)

    def __iter__(self) -> Iterator[MatchEvent]:
        """The events at this moment."""
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
        """Whether these are the same events, in a log or in a list."""
        return list(self) == list(other) if isinstance(other, (EventLog, list)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """The events as a list shows them."""
        return repr(list(self))
