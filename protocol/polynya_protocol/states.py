"""The messages of each side, state by state: one table of transitions for both sides.

A session has one state, which both sides follow from the frames that pass. The server, not this
module, decides whose turn it is in a match. Reconnecting is no state: a `hello`
that takes a session over opens a new connection, and the old one gets `goodbye`.

Source: wire contract, "Session", "Match", "Spectators", "Details that were asked about".
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from polynya_common.reasons import Cause, Reason
from polynya_protocol.errors import RemoteProtocolError
from polynya_protocol.messages import (
    Error,
    ErrorCode,
    Forfeited,
    Goodbye,
    Hello,
    Legal,
    MatchOver,
    MatchResume,
    MatchStart,
    Message,
    Move,
    Moved,
    Notice,
    Ping,
    Pong,
    Ready,
    Resign,
    Steps,
    Turn,
    Unwatch,
    Watch,
    Welcome,
)


class Side(enum.Enum):
    """The two ends of a connection."""

    CLIENT = "client"
    SERVER = "server"

    __hash__ = object.__hash__
    """Members are equal only to themselves; that of enums hashes their names, in Python code, and
    a session looks so often into tables that it took 5 µs of its beginning."""


class State(enum.Enum):
    """Where a session stands."""

    AWAITING_HELLO = "awaiting hello"
    """Connected; the client has to say who it is."""
    PLAYER_JOINING = "player joining"
    """A player's hello has been sent; the server's welcome has not. The client may go on."""
    SPECTATOR_JOINING = "spectator joining"
    """The same for a spectator."""
    PLAYER = "player"
    """A bot that plays."""
    SPECTATOR = "spectator"
    """A spectator."""
    CLIENT_LEFT = "client left"
    """The client has said goodbye; the server may still send what ends its matches."""
    SERVER_LEFT = "server left"
    """The server has said goodbye or sent a fatal error; what the client sends is dropped."""
    CLOSED = "closed"
    """Neither side sends any more."""

    __hash__ = object.__hash__


class Variant(enum.Enum):
    """A kind of frame that leads elsewhere than others of its class."""

    SPECTATOR_HELLO = "hello of a spectator"
    FATAL_ERROR = "fatal error"


Kind = type[Message] | Variant


VARIANTS: Mapping[type[Message], tuple[Variant, Callable[[Any], bool]]] = {
    Hello: (Variant.SPECTATOR_HELLO, lambda hello: hello.role == "spectator"),
    Error: (Variant.FATAL_ERROR, lambda error: error.fatal),
}
"""The classes that have a variant: which, and whether a message is one."""


def kind_of(message: Message) -> Kind:
    """The key of the table for a message: its class, or the variant of it."""
    kind = type(message)
    if kind in VARIANTS:
        variant, is_one = VARIANTS[kind]
        return variant if is_one(message) else kind
    return kind


@dataclass(frozen=True)
class Refusal:
    """The verdict on a frame that may not be sent in a state."""

    code: ErrorCode
    cause: Callable[[str], Cause]
    fatal: bool

    def error(self, kind: Kind) -> RemoteProtocolError:
        """The error for a peer that sent such a frame all the same."""
        return RemoteProtocolError(self.code, self.cause(name_of(kind)), fatal=self.fatal)


def name_of(kind: Kind) -> str:
    """The name of a kind of frame for people."""
    return kind.value if isinstance(kind, Variant) else str(kind.__struct_config__.tag)


NOT_HELLO = Refusal(
    "malformed", lambda name: Reason.of("first_frame_no_hello", message=name), fatal=True
)
SECOND_HELLO = Refusal("malformed", lambda _: Reason.of("second_hello"), fatal=True)
NOT_WATCHING = Refusal(
    "malformed", lambda name: f"`{name}` needs role `spectator` in `hello`", fatal=False
)
NOT_PLAYING = Refusal(
    "unknown_match", lambda name: f"a spectator plays no match: no `{name}`", fatal=False
)
NOT_NOW = Refusal("malformed", lambda name: Reason.of("wrong_state", message=name), fatal=True)

HELLOS: tuple[Kind, ...] = (Hello, Variant.SPECTATOR_HELLO)
PLAYING: tuple[Kind, ...] = (Ready, Move, Steps, Resign)
WATCHING: tuple[Kind, ...] = (Watch, Unwatch)
EITHER_SIDE: tuple[Kind, ...] = (Ping, Pong)
CLIENT_KINDS: tuple[Kind, ...] = (*HELLOS, *PLAYING, *WATCHING, *EITHER_SIDE, Goodbye)

EVENTS: tuple[Kind, ...] = (MatchResume, Moved, Forfeited, MatchOver)
TO_PLAYERS: tuple[Kind, ...] = (MatchStart, Turn, Legal, Notice)
ERRORS: tuple[Kind, ...] = (Error, Variant.FATAL_ERROR)
SERVER_KINDS: tuple[Kind, ...] = (Welcome, *TO_PLAYERS, *EVENTS, *ERRORS, *EITHER_SIDE, Goodbye)

Cell = State | Refusal
Row = Mapping[Kind, Cell]


def _row(kinds: Iterable[Kind], otherwise: Cell, *cells: tuple[Iterable[Kind], Cell]) -> Row:
    row = dict.fromkeys(kinds, otherwise)
    for some, cell in cells:
        row.update(dict.fromkeys(some, cell))
    return row


def _client(otherwise: Cell, *cells: tuple[Iterable[Kind], Cell]) -> Row:
    return _row(CLIENT_KINDS, otherwise, *cells)


def _server(otherwise: Cell, *cells: tuple[Iterable[Kind], Cell]) -> Row:
    return _row(SERVER_KINDS, otherwise, *cells)


def _playing(here: State) -> Row:
    return _client(
        SECOND_HELLO,
        ((*PLAYING, *EITHER_SIDE), here),
        (WATCHING, NOT_WATCHING),
        ((Goodbye,), State.CLIENT_LEFT),
    )


def _watching(here: State) -> Row:
    return _client(
        SECOND_HELLO,
        ((*WATCHING, *EITHER_SIDE), here),
        (PLAYING, NOT_PLAYING),
        ((Goodbye,), State.CLIENT_LEFT),
    )


def _joining(here: State, joined: State) -> Row:
    return _server(
        NOT_NOW,
        ((Welcome,), joined),
        ((*EITHER_SIDE, Error), here),
        ((Variant.FATAL_ERROR, Goodbye), State.SERVER_LEFT),
    )


TRANSITIONS: Mapping[State, Mapping[Side, Row]] = {
    State.AWAITING_HELLO: {
        Side.CLIENT: _client(
            NOT_HELLO,
            ((Hello,), State.PLAYER_JOINING),
            ((Variant.SPECTATOR_HELLO,), State.SPECTATOR_JOINING),
        ),
        Side.SERVER: _server(NOT_NOW, ((Variant.FATAL_ERROR, Goodbye), State.SERVER_LEFT)),
    },
    State.PLAYER_JOINING: {
        Side.CLIENT: _playing(State.PLAYER_JOINING),
        Side.SERVER: _joining(State.PLAYER_JOINING, State.PLAYER),
    },
    State.SPECTATOR_JOINING: {
        Side.CLIENT: _watching(State.SPECTATOR_JOINING),
        Side.SERVER: _joining(State.SPECTATOR_JOINING, State.SPECTATOR),
    },
    State.PLAYER: {
        Side.CLIENT: _playing(State.PLAYER),
        Side.SERVER: _server(
            NOT_NOW,
            ((*TO_PLAYERS, *EVENTS, *EITHER_SIDE, Error), State.PLAYER),
            ((Variant.FATAL_ERROR, Goodbye), State.SERVER_LEFT),
        ),
    },
    State.SPECTATOR: {
        Side.CLIENT: _watching(State.SPECTATOR),
        Side.SERVER: _server(
            NOT_NOW,
            ((*EVENTS, *EITHER_SIDE, Error), State.SPECTATOR),
            ((Variant.FATAL_ERROR, Goodbye), State.SERVER_LEFT),
        ),
    },
    State.CLIENT_LEFT: {
        Side.CLIENT: _client(NOT_NOW),
        Side.SERVER: _server(State.CLIENT_LEFT, ((Variant.FATAL_ERROR, Goodbye), State.CLOSED)),
    },
    State.SERVER_LEFT: {
        Side.CLIENT: _client(NOT_NOW, ((Goodbye,), State.CLOSED)),
        Side.SERVER: _server(NOT_NOW),
    },
    State.CLOSED: {
        Side.CLIENT: _client(NOT_NOW),
        Side.SERVER: _server(NOT_NOW),
    },
}
"""State, then who sends, then what: the next state, or why not."""

AT_WILL: Mapping[State, Mapping[Side, frozenset[type[Message]]]] = {
    state: {
        side: frozenset(
            kind
            for kind, cell in row.items()
            if cell is state and not isinstance(kind, Variant) and kind not in VARIANTS
        )
        for side, row in rows.items()
    }
    for state, rows in TRANSITIONS.items()
}
"""By state and sender the messages that the table allows and that change nothing, if their class
has no variant: nearly all that is ever sent, so it is looked at first."""

ENDED = frozenset({State.CLIENT_LEFT, State.SERVER_LEFT, State.CLOSED})
"""In these states a side that receives a frame drops it: it crossed with the end on its way."""
