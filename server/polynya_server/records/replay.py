"""The set-up of a match, its record, and the replay document that encodes the record.

A :class:`MatchRecord`, encoded as one msgpack document, is the replay. Everything in it is plain
data, so that it can be read without this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgpack  # type: ignore[import-untyped]
import msgspec

from polynya_common.reasons import Cause, reason_of
from polynya_protocol.messages import Clock, OverReason, Player, Software
from polynya_server.records.match_events import EventLog, ForfeitRecord, MatchEvent

REPLAY_VERSION = 1

Reveal = Literal["match", "block", "round", "tournament"]
"""The end that lets the whole of a match with hidden parts be seen; ``block``: that of all matches
with its deal."""


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that determines a match before it is played.

    Attributes:
        match: the id of this attempt; a match that is played again gets a new one.
        game: the name of an installed game.
        players: the bots' names by seat.
        ratings: their ratings by seat, shown to the players; None for a bot without one.
        clock: the time limits.
        seed: determines the set-up; not sent to bots before the match is over.
        options: the game's set-up options; omitted ones have their defaults.
        rated: whether the result counts for ratings.
        untimed: the seats without a clock, such as a person's; only if unrated.
        sandboxes: by seat the bot's sandbox, as ``bubblewrap 0.8.0: 512 MiB, 64 processes, 1
            core, pinned``: ``none`` for a bot with the host's rights, None for a bot that the host
            has not started. Empty if nothing is known.
        deal: the 32 bytes, in hexadecimal, that a game with hidden chance draws from in place of
            ``seed``; secret until the match is over. None in other games.
        reveal: when the whole of a match with hidden parts may be seen: when it is over, or when
            all matches with its deal are, its round or its tournament.
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
    sandboxes: tuple[str | None, ...] = ()
    deal: str | None = None
    reveal: Reveal = "match"


class MachineLoad(msgspec.Struct, frozen=True):
    """How busy the server's machine was during a match.

    Attributes:
        busy: the share of its processors' time that all programs used, 0 to 1.
        stolen: the share that the host of a virtual machine gave to others.
        runnable: number of tasks that ran or waited for a core, mean of the last minute.
        cores: number of cores.
    """

    busy: float
    stolen: float
    runnable: float
    cores: int


class RulesFailure(msgspec.Struct, frozen=True):
    """The question that the rules of a game did not answer; for the operator.

    Attributes:
        seats: those whose answers, forfeits or questions led to it; none in the set-up.
        question: what was asked, shortened; text of the game's, from a peer's steps in part.
    """

    seats: tuple[int, ...]
    question: str


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match that has ended: the replay.

    Attributes:
        version: version of this document format.
        setup: the match as it was to be played.
        options: the game's options with the defaults filled in.
        state: the initial position, in the format of the game's rules.
        software: each bot's own name and version, by seat.
        server: the server's own version.
        started_ms, finished_ms: wall-clock times, ms since 1970-01-01 UTC.
        events: turns and forfeits in the order in which they happened.
        ranking, scores: per seat; None without a result (aborted, annulled).
        reason: the ``reason`` of ``match_over``.
        termination: why the game ended (``polynya_games.Termination``), None without a result.
        detail: why, where more is to be said; a sentence in records of earlier versions.
        server_fault: whether the server itself was late; the match is to be played again.
        machine: how busy the server's machine was; None where that is not measured.
        worker: the name and host of the worker that refereed it; None for the tournament's process.
        rules_failure: what the rules of the game were asked when they failed; other replays do not
            have it.
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
    detail: Cause | None = None
    server_fault: bool = False
    machine: MachineLoad | None = None
    worker: str | None = None
    rules_failure: RulesFailure | msgspec.UnsetType = msgspec.UNSET

    @property
    def all_forfeited(self) -> bool:
        """Whether the match has no result because all seats forfeited in one turn of it."""
        return self._has_code("all_forfeited")

    @property
    def rules_failed(self) -> bool:
        """Whether the match was annulled because the rules of its game failed."""
        return self._has_code("rules_failed")

    def _has_code(self, code: str) -> bool:
        found = reason_of(self.detail)
        return found is not None and found.code == code

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
    """Encode the replay as one msgpack document."""
    return _encode(record)


def decode_replay(document: bytes) -> MatchRecord:
    """Decode the record in a replay document.

    Raises:
        ValueError: the bytes are not a replay; the message says where they differ.
    """
    return _decode(document)
