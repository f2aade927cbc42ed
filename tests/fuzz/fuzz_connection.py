"""Any bytes in any pieces at either end: messages and verdicts, the same however they are cut.

The first byte of an input chooses the end and what has been said before, the second how the rest is
cut into pieces.
"""

from __future__ import annotations

from typing import Any, cast

from tests.fuzz.fuzz_codec import check_verdict

from polynya_protocol import Connection, RemoteProtocolError, client_side, encode, server_side
from polynya_protocol.messages import Error, Goodbye, Hello, Server, Welcome
from polynya_protocol.states import ENDED, State

MAX_FRAME = 300
LENGTH_SIZE = 4
PLAYER = Hello(protocol=1, name="alice")
SPECTATOR = Hello(protocol=1, role="spectator")
WELCOME = Welcome(
    protocol=1,
    server=Server(name="polynya", version="1"),
    bot="alice",
    session="1",
    heartbeat_ms=1000,
    max_frame=1024,
    matches=[],
)
AnyConnection = Connection[Any, Any]


def target(data: bytes) -> None:
    """Fail if an end of a connection does with this input what it should not."""
    if len(data) < 2:
        return
    chosen, cut, received = data[0], data[1], data[2:]
    assert said(chosen, [received]) == said(chosen, pieces(received, cut))


def opened(chosen: int) -> AnyConnection:
    """An end of a connection, with what has been said before the input comes."""
    hello = SPECTATOR if chosen & 2 else PLAYER
    if chosen & 1:
        client = cast("AnyConnection", client_side(MAX_FRAME))
        client.send(hello)
        if chosen & 4:
            client.receive_data(encode(WELCOME))
        return client
    server = cast("AnyConnection", server_side(MAX_FRAME))
    if chosen & 4:
        server.receive_data(encode(hello))
    if chosen & 8 and chosen & 4:
        server.send(WELCOME)
    return server


def pieces(data: bytes, cut: int) -> list[bytes]:
    """The input in pieces of ``cut`` bytes, one at a time for 0."""
    size = max(1, cut)
    return [data[start : start + size] for start in range(0, len(data), size)]


def said(chosen: int, chunks: list[bytes]) -> list[object]:
    """What was received, checked: messages as frames, verdicts in words, and the last state."""
    connection, is_client = opened(chosen), bool(chosen & 1)
    found: list[object] = []
    fatal = False
    for chunk in chunks:
        for item in connection.receive_data(chunk):
            assert not fatal
            if isinstance(item, RemoteProtocolError):
                check_verdict(item)
                fatal = item.fatal
                found.append((item.code, item.message, item.fatal))
            else:
                found.append(encode(item))
        assert connection.pending < MAX_FRAME + LENGTH_SIZE
        assert not (fatal and connection.pending)
    state = connection.state
    check_end(connection, is_client=is_client, fatal=fatal)
    return [*found, state]


def check_end(connection: AnyConnection, *, is_client: bool, fatal: bool) -> None:
    """However it went, this end can still say what the contract has it say, and be closed."""
    if fatal and connection.state not in ENDED:
        last = Error(code="malformed", message=".", fatal=True)
        connection.send(Goodbye() if is_client else last)
    connection.receive_end()
    assert connection.state is State.CLOSED
    assert connection.receive_data(encode(PLAYER)) == []
