"""Both ends of a connection and the bytes between them, against a model of three short rules.

An end may say what its role and its session allow; what is said arrives in order; who has left, or
has heard the other one leave, hears nothing more.
"""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from polynya_protocol import LocalProtocolError, client_side, encode, server_side
from polynya_protocol.framing import LENGTH_SIZE
from polynya_protocol.messages import (
    Error,
    Forfeited,
    Goodbye,
    Hello,
    Legal,
    Move,
    Ping,
    Pong,
    Ready,
    Resign,
    Server,
    Steps,
    Turn,
    Unwatch,
    Watch,
    Welcome,
)

HELLOS = [Hello(protocol=1, name="alice"), Hello(protocol=1, role="spectator")]
PLAYING = [
    Ready(match="m"),
    Move(match="m", turn=1, steps=[["add", 3]]),
    Steps(match="m", turn=1, steps=[]),
    Resign(match="m"),
]
WATCHING = [Watch(all=True), Unwatch(match="m")]
BOTH = [Ping(nonce=7), Pong(nonce="x" * 64)]
WELCOME = Welcome(
    protocol=1,
    server=Server(name="polynya", version="1"),
    bot="alice",
    session="1",
    heartbeat_ms=1000,
    max_frame=65536,
    matches=[],
)
ASKING = [Turn(match="m", seq=1, turn=1, remaining_ms=100), Legal("m", 1, [["add", 3]], True)]
EVENTS = [Forfeited(match="m", seq=1, seat=0, reason="timeout", detail="late")]
TELLING = Error(code="late", message=".", fatal=False)
ENDING = [Error(code="malformed", message=".", fatal=True), Goodbye()]
LEFT = ("client left", "server left", "closed")


class End:
    """One end as the model sees it.

    Attributes:
        phase: ``new``, ``joining``, ``joined`` or one of ``LEFT``.
        role: of the session, from its hello.
        coming: the messages that are on their way to this end.
        buffer: their bytes that have not been delivered.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.phase = "new"
        self.role: str | None = None
        self.coming: list[Any] = []
        self.buffer = b""

    def follow(self, message: Any, sender: str) -> None:
        """A message has been sent or heard."""
        if isinstance(message, Hello):
            self.phase, self.role = "joining", message.role or "player"
        elif isinstance(message, Welcome) and self.phase == "joining":
            self.phase = "joined"
        elif message in ENDING:
            other = "server left" if sender == "client" else "client left"
            self.phase = "closed" if self.phase == other else f"{sender} left"


def client_may_say(end: End) -> list[Any]:
    own = PLAYING if end.role == "player" else WATCHING
    if end.phase in ("joining", "joined"):
        return [*own, *BOTH, Goodbye()]
    otherwise: dict[str, list[Any]] = {"new": HELLOS, "server left": [Goodbye()]}
    return otherwise.get(end.phase, [])


def server_may_say(end: End) -> list[Any]:
    joined = [*EVENTS, *BOTH, TELLING, *ENDING, *(ASKING if end.role == "player" else [])]
    if end.phase == "client left":
        return [WELCOME, *ASKING, *EVENTS, *BOTH, TELLING, *ENDING]
    joining = [WELCOME, *BOTH, TELLING, *ENDING]
    return {"new": ENDING, "joining": joining, "joined": joined}.get(end.phase, [])


FROM_CLIENT = [*HELLOS, *PLAYING, *WATCHING, *BOTH, Goodbye()]
FROM_SERVER = [WELCOME, *ASKING, *EVENTS, *BOTH, TELLING, *ENDING]


class ConnectionMachine(RuleBasedStateMachine):
    """Messages and pieces of bytes in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.client = End(client_side())
        self.server = End(server_side())

    @rule(message=st.sampled_from(FROM_CLIENT))
    def client_says(self, message: Any) -> None:
        allowed = message in client_may_say(self.client)
        self.say(self.client, self.server, message, "client", allowed=allowed)

    @rule(message=st.sampled_from(FROM_SERVER))
    def server_says(self, message: Any) -> None:
        allowed = message in server_may_say(self.server)
        self.say(self.server, self.client, message, "server", allowed=allowed)

    def say(self, end: End, other: End, message: Any, sender: str, *, allowed: bool) -> None:
        try:
            frame = end.connection.send(message)
        except LocalProtocolError:
            assert not allowed
            return
        assert allowed
        end.follow(message, sender)
        other.coming.append(message)
        other.buffer += frame

    @precondition(lambda self: self.server.buffer)
    @rule(size=st.integers(1, 200))
    def bytes_reach_the_server(self, size: int) -> None:
        self.arrive(self.server, size, "client")

    @precondition(lambda self: self.client.buffer)
    @rule(size=st.integers(1, 200))
    def bytes_reach_the_client(self, size: int) -> None:
        self.arrive(self.client, size, "server")

    def arrive(self, end: End, size: int, sender: str) -> None:
        piece, end.buffer = end.buffer[:size], end.buffer[size:]
        heard = end.connection.receive_data(piece)
        expected = []
        while end.coming and undelivered(end.coming[1:]) >= len(end.buffer):
            message = end.coming.pop(0)
            if end.phase not in LEFT:
                expected.append(message)
                end.follow(message, sender)
        assert heard == expected

    @precondition(lambda self: self.client.phase == "joined" and self.server.phase == "joined")
    @rule()
    def the_bytes_end(self) -> None:
        for end in (self.client, self.server):
            end.connection.receive_end()
            end.phase, end.coming, end.buffer = "closed", [], b""

    @invariant()
    def the_states_are_those_of_the_model(self) -> None:
        for end in (self.client, self.server):
            assert end.connection.state.value == state(end)

    @invariant()
    def no_more_waits_than_one_frame(self) -> None:
        for end in (self.client, self.server):
            assert end.connection.pending <= max(map(len, map(encode, FROM_SERVER))) + LENGTH_SIZE


def undelivered(messages: list[Any]) -> int:
    """How many bytes of these are still to come, at least."""
    return sum(len(encode(message)) for message in messages)


def state(end: End) -> str:
    """The connection's word for where an end stands."""
    if end.phase == "new":
        return "awaiting hello"
    return {"joining": f"{end.role} joining", "joined": f"{end.role}"}.get(end.phase, end.phase)


ConnectionMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
TestConnectionMachine = ConnectionMachine.TestCase
