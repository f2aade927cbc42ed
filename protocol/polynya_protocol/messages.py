"""Every message of the protocol as a value: what it means, its keys, their types and units.

All times are integers in milliseconds, all ids are strings (wire contract, "Transport and
framing"). Keys whose value is absent are left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

PROTOCOL_VERSION = 1
NAME_CHARACTERS = "A-Za-z0-9_.-"
"""The characters of names, as they stand between brackets in a pattern."""
NAME_PATTERN = rf"[{NAME_CHARACTERS}]{{1,32}}"
MIN_MAX_FRAME = 1024
"""The least a client may take in one frame, in bytes; a match cannot be sent in less."""

Version = Annotated[int, msgspec.Meta(extra_json_schema={"const": PROTOCOL_VERSION})]
Name = Annotated[str, msgspec.Meta(extra_json_schema={"pattern": f"^{NAME_PATTERN}$"})]
Registration = Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": 64})]
Nonce = int | Annotated[str, msgspec.Meta(extra_json_schema={"maxLength": 64})]
ForfeitReason = Literal[
    "illegal_move", "timeout", "disconnected", "resigned", "not_ready", "protocol_error"
]
OverReason = Literal["finished", "forfeit", "aborted", "annulled"]
ErrorCode = Literal[
    "malformed",
    "too_large",
    "unknown_type",
    "unsupported_protocol",
    "unauthorized",
    "name_taken",
    "bad_name",
    "not_your_turn",
    "late",
    "unknown_match",
    "rate_limited",
    "hello_timeout",
    "server_full",
    "shutting_down",
]
NoticeCode = Literal["suspended", "not_entered", "game_not_played", "resting", "cleared"]
"""The words of ``notice`` that there are by now; a client has to expect others."""
Step = Annotated[
    list[Any], msgspec.Meta(extra_json_schema={"minItems": 1, "prefixItems": [{"type": "string"}]})
]
"""A step on the wire: an array of a verb (str) and its arguments (int or str)."""


class Message(msgspec.Struct, frozen=True, gc=False, tag_field="type", omit_defaults=True):
    """The base of all messages: a frozen value with its name under the key ``type``."""


class Software(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The software of a peer: shown to people; each version has a rating of its own."""

    name: str | None = None
    version: str | None = None
    language: str | None = None


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """The player of a seat; ``rating`` is nil for a bot without one."""

    seat: int
    name: str
    rating: float | None = None


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """The time limits of a match in ms; not all of ``initial_ms`` and ``move_ms`` are nil."""

    initial_ms: int | None = None
    increment_ms: int | None = None
    move_ms: int | None = None


class RatingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A bot's rating before and after a match."""

    name: str
    before: float
    after: float


# From the client.


class Hello(Message, frozen=True, tag="hello"):
    """The first frame on a connection: who is there and what it wants."""

    protocol: Version
    name: Name | None = None
    token: str | None = None
    role: Literal["player", "spectator"] | None = None
    games: list[str] | None = None
    concurrency: Annotated[int, msgspec.Meta(ge=1)] | None = None
    wants: list[Any] | None = None
    software: Software | None = None
    max_frame: Annotated[int, msgspec.Meta(ge=MIN_MAX_FRAME)] | None = None
    registration: Registration | None = None


class Ready(Message, frozen=True, tag="ready"):
    """The answer to ``match_start``: this bot can play."""

    match: str


class Move(Message, frozen=True, tag="move"):
    """The answer to ``turn``: a whole turn.

    The fields are checked by the referee, not here: a move of the wrong form is a lost match, not
    a lost connection (wire contract, "Illegal or untimely messages").
    """

    match: Any = None
    turn: Any = None
    steps: Any = None
    info: msgspec.Raw = msgspec.Raw(b"")


class Steps(Message, frozen=True, tag="steps"):
    """The question which steps may follow these ones in the turn that is being asked for."""

    match: str
    turn: int
    steps: list[Any]


class Resign(Message, frozen=True, tag="resign"):
    """The bot gives a match up."""

    match: str


class Watch(Message, frozen=True, tag="watch"):
    """A spectator wants to see one match, or ``all``."""

    match: str | None = None
    all: bool | None = None


class Unwatch(Message, frozen=True, tag="unwatch"):
    """A spectator has seen enough of a match (of all, without ``match``)."""

    match: str | None = None


# From either side.


class Ping(Message, frozen=True, tag="ping"):
    """Are you there? ``nonce`` is an integer or a str of at most 64 bytes."""

    nonce: Nonce


class Pong(Message, frozen=True, tag="pong"):
    """The answer to ``ping``, with its ``nonce``."""

    nonce: Nonce


class Goodbye(Message, frozen=True, tag="goodbye"):
    """The sender closes the connection in order."""

    reason: str | None = None


# From the server.


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """The server's software."""

    name: str
    version: str


class Welcome(Message, frozen=True, tag="welcome"):
    """The answer to ``hello``: the session stands."""

    protocol: Version
    server: Server
    bot: str | None
    session: str
    heartbeat_ms: int
    max_frame: int
    matches: list[str]
    token: str | None = None


class MatchStart(Message, frozen=True, tag="match_start"):
    """A match begins; the bot answers ``ready``.

    With hidden parts ``state`` is what the receiver may know, and ``view`` is true; ``joint`` is
    true if several seats can be asked at once. ``commitment`` is the hash of the deal.
    """

    match: str
    seq: int
    game: str
    seat: int
    players: list[Player]
    options: dict[str, Any]
    clock: Clock
    state: dict[str, Any]
    acting: list[int] | None = None
    view: bool | None = None
    joint: bool | None = None
    commitment: str | None = None


class MatchResume(Message, frozen=True, tag="match_resume"):
    """A match as it stands, for a bot that came back or a spectator (``seat`` nil)."""

    match: str
    seq: int
    game: str
    seat: int | None
    players: list[Player]
    options: dict[str, Any]
    clock: Clock
    state: dict[str, Any]
    remaining_ms: list[int | None]
    acting: list[int] | None = None
    view: bool | None = None
    joint: bool | None = None
    commitment: str | None = None


class Turn(Message, frozen=True, tag="turn"):
    """The bot is to move: turn number ``turn``, at most ``remaining_ms`` for it."""

    match: str
    seq: int
    turn: int
    remaining_ms: int
    state: dict[str, Any] | None = None
    legal: list[Step] | None = None


class Legal(Message, frozen=True, tag="legal"):
    """The answer to ``steps``."""

    match: str
    turn: int
    legal: list[Step]
    turn_over: bool


class Moved(Message, frozen=True, tag="moved"):
    """A player has moved; ``remaining_ms`` is each seat's budget, nil without one.

    ``steps`` is nil if they are concealed from the receiver. With joint turns or hidden parts the
    last message of each transition has the seats that are asked next (``acting``) and what the
    receiver learnt (``seen``); for spectators also ``state`` and ``scores``.
    """

    match: str
    seq: int
    turn: int
    seat: int
    steps: list[Step] | None
    elapsed_ms: int
    remaining_ms: list[int | None]
    acting: list[int] | None = None
    seen: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    scores: list[int] | None = None


class Forfeited(Message, frozen=True, tag="forfeited"):
    """A seat has forfeited; ``detail`` says in a sentence what was wrong.

    With joint turns or hidden parts it has the ``turn``, and as the last message of a transition
    the same as ``moved``.
    """

    match: str
    seq: int
    seat: int
    reason: ForfeitReason
    detail: str
    turn: int | None = None
    acting: list[int] | None = None
    seen: list[dict[str, Any]] | None = None
    state: dict[str, Any] | None = None
    scores: list[int] | None = None


class MatchOver(Message, frozen=True, tag="match_over"):
    """The result; ``ranking`` is nil when the match was aborted or annulled.

    ``deal`` is what ``commitment`` was the hash of, in hexadecimal.
    """

    match: str
    seq: int
    ranking: list[int] | None
    scores: list[int] | None
    reason: OverReason
    detail: str | None = None
    replay: str | None = None
    ratings: list[RatingChange] | None = None
    deal: str | None = None


class Error(Message, frozen=True, tag="error"):
    """A message of the peer was wrong; ``message`` says what to do about it."""

    code: ErrorCode
    message: str
    fatal: bool
    match: str | None = None
    turn: int | None = None
    supported: list[int] | None = None


class Notice(Message, frozen=True, tag="notice"):
    """Something that the bot's author should know; it needs no answer.

    ``code`` is one of :data:`NoticeCode`, or a word of a later version.
    """

    code: str
    message: str
    match: str | None = None


FromClient = Hello | Ready | Move | Steps | Resign | Watch | Unwatch | Ping | Pong | Goodbye
FromServer = (
    Welcome
    | MatchStart
    | MatchResume
    | Turn
    | Legal
    | Moved
    | Forfeited
    | MatchOver
    | Error
    | Notice
    | Ping
    | Pong
    | Goodbye
)
