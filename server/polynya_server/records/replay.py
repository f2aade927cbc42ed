"""What a match is before it is played, and what is kept of it afterwards.

A :class:`MatchRecord`, encoded as one msgpack document, is the replay. Everything in it is plain
data, so that it can be read without this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, overload

import msgpack  # type: ignore[import-untyped]
import msgspec

from polynya_protocol.messages import Clock, ForfeitReason, OverReason, Player, Software, Step

REPLAY_VERSION = 1


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that determines a match before it is played.

    Attributes:
        match: the id of this attempt to play it; a match that is played again gets a new one.
        game: the name of an installed game.
        players: the bots' names by seat.
        ratings: their ratings by seat, shown to the players; None for a bot without one.
        clock: the time limits.
        seed: decides the set-up; not sent to bots before the match is over.
        options: the game's set-up options; those left out have their defaults.
        rated: whether the result counts for ratings.
        untimed: the seats that the clock does not hold for, such as a person's; only if unrated.
    """

    match: str
    game: str
    players: tuple[str, ...]
    clock: Clock
    seed: int
    ratings: tuple[float | None, ...] = ()
    options: dict[str, Any] = {}
    rated: bool = True
    untimed: tuple[int, ...] = ()


class TurnRecord(
    msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="turn", tag_field="event"
):
    """One turn that was played, with the times that answer a complaint about the clock.

    Times ending in ``_us`` are microseconds on the server's monotonic clock since the match began.

    Attributes:
        turn: its number, from 1.
        seat: who moved.
        steps: what was played.
        queued_us: the ``turn`` frame was queued.
        flushed_us: it had been handed to the operating system in full: the clock starts.
        first_byte_us: the answer's first byte had arrived.
        last_byte_us: its last byte had arrived: the clock stops.
        kernel: whether these two times are the kernel's (else the moment the bytes were read).
        charged_ms: what the player was charged.
        remaining_ms: each seat's budget after the turn, None without one.
        loop_delay_us: the largest delay of the server's event loop seen meanwhile.
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
    """One forfeit; the times (as in :class:`TurnRecord`) are those of the turn it happened in.

    Attributes:
        turn: the number of the turn that was being asked for, 0 before the first.
        seat: who forfeited.
        reason: why, one of the contract's words.
        detail: the sentence that was sent.
        limit_ms: the time the turn had, None if this seat was not to move.
        charged_ms: what had been used of it when the forfeit was declared.
    """

    turn: int
    seat: int
    reason: ForfeitReason
    detail: str
    queued_us: int | None = None
    flushed_us: int | None = None
    first_byte_us: int | None = None
    last_byte_us: int | None = None
    kernel: bool = False
    limit_ms: int | None = None
    charged_ms: int | None = None
    loop_delay_us: int = 0


MatchEvent = TurnRecord | ForfeitRecord

_encode_event = msgspec.msgpack.Encoder().encode
_decode_event = msgspec.msgpack.Decoder(MatchEvent).decode


class EventLog(Sequence[MatchEvent]):
    """The events of a match in play, each as the bytes that the replay will hold.

    A turn's record is ten objects and more. A thousand matches keep 30,000 of them, which the
    garbage collector would look at, and which would have to be fetched from all over the memory to
    be written down at the end, and once more to be freed. So an event is encoded when it comes, and
    decoded for those who look.

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
        """Something has happened."""
        self.encoded.append(_encode_event(event))
        if type(event) is ForfeitRecord:
            self.forfeits.append(event)

    def __iter__(self) -> Iterator[MatchEvent]:
        """The events that there are by now."""
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


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has ended: the replay.

    Attributes:
        version: of this document's form.
        setup: what was to be played.
        options: the game's options with the defaults filled in.
        state: the initial position, of the form in the game's rules.
        software: what each seat's bot said it runs.
        server: the server's own version.
        started_ms, finished_ms: wall-clock times, ms since 1970-01-01 UTC.
        events: turns and forfeits in the order in which they happened.
        ranking, scores: per seat; None when there is no result (aborted, annulled).
        reason: the word of ``match_over``.
        termination: why the game ended (``polynya_games.Termination``), None without a result.
        detail: a sentence where more is to be said.
        server_fault: the server itself was late; the match is to be played again.
    """

    version: int = REPLAY_VERSION
    setup: MatchSetup
    options: dict[str, Any]
    state: dict[str, Any]
    software: list[Software | None]
    server: str
    started_ms: int
    finished_ms: int
    events: Sequence[MatchEvent]
    ranking: list[int] | None
    scores: list[int] | None
    reason: OverReason
    termination: Literal["finished", "victory", "limit", "forfeit"] | None = None
    detail: str | None = None
    server_fault: bool = False

    @property
    def forfeits(self) -> list[ForfeitRecord]:
        """The forfeits in the order in which they happened."""
        if isinstance(self.events, EventLog):
            return self.events.forfeits
        return [event for event in self.events if isinstance(event, ForfeitRecord)]


def players_of(setup: MatchSetup) -> list[Player]:
    """The players as ``match_start`` lists them."""
    ratings = setup.ratings or (None,) * len(setup.players)
    return [
        Player(seat=seat, name=name, rating=rating)
        for seat, (name, rating) in enumerate(zip(setup.players, ratings, strict=True))
    ]


def _encode_log(value: object) -> msgspec.Raw:
    if isinstance(value, EventLog):
        return msgspec.Raw(_array_header(len(value)) + b"".join(value.encoded))
    raise TypeError(f"a replay holds plain data only, and {type(value).__name__} is none")


_array_header = msgpack.Packer().pack_array_header
_encode = msgspec.msgpack.Encoder(enc_hook=_encode_log).encode
_decode = msgspec.msgpack.Decoder(MatchRecord).decode


def encode_replay(record: MatchRecord) -> bytes:
    """The replay as one msgpack document."""
    return _encode(record)


def decode_replay(document: bytes) -> MatchRecord:
    """The record in a replay document.

    Raises:
        ValueError: the bytes are not a replay; the message says where they differ.
    """
    return _decode(document)
