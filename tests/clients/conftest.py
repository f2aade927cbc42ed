"""A server whose every word the test decides: real sockets, frames written with msgpack alone."""

from __future__ import annotations

import signal
import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

import polynya_client

SECONDS = 120
WELCOME = {
    "type": "welcome",
    "protocol": 1,
    "server": {"name": "scripted", "version": "1"},
    "bot": "ada",
    "session": "s1",
    "heartbeat_ms": 10_000,
    "max_frame": 65_536,
    "matches": [],
}
MATCH_START = {
    "type": "match_start",
    "match": "m1",
    "seq": 0,
    "game": "packeis",
    "seat": 1,
    "players": [
        {"seat": 0, "name": "bob", "rating": 1510.5},
        {"seat": 1, "name": "ada", "rating": None},
    ],
    "options": {},
    "clock": {"initial_ms": None, "increment_ms": None, "move_ms": 5000},
    "state": {"game": "packeis"},
}


@pytest.fixture(scope="session", autouse=True)
def _interrupts_arrive() -> None:
    """Programs started in the background of a shell ignore Ctrl-C, and so do their children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Peer:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(SECONDS)
        self.socket = sock

    def send(self, *messages: dict[str, Any]) -> None:
        frames = [msgpack.packb(message) for message in messages]
        self.socket.sendall(b"".join(struct.pack(">I", len(f)) + f for f in frames))

    def receive(self) -> dict[str, Any]:
        (length,) = struct.unpack(">I", self._exactly(4))
        message: dict[str, Any] = msgpack.unpackb(self._exactly(length))
        return message

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            assert more, "the bot closed the connection"
            data += more
        return data

    def ended(self) -> bool:
        """Whether the bot has closed the connection, with nothing more to say."""
        return self.socket.recv(1) == b""

    def welcome(self, **changes: Any) -> dict[str, Any]:
        """Take the hello, answer it; the hello."""
        hello = self.receive()
        self.send({**WELCOME, **changes})
        return hello

    def begin_match(self, **changes: Any) -> None:
        """Start a match and wait until the bot is ready."""
        self.send({**MATCH_START, **changes})
        assert self.receive() == {"type": "ready", "match": changes.get("match", "m1")}

    def ask(self, seq: int = 1, turn: int = 1, **more: Any) -> None:
        """Ask for a turn."""
        self.send(
            {"type": "turn", "match": "m1", "seq": seq, "turn": turn, "remaining_ms": 5000, **more}
        )


class ScriptedServer:
    """A listening socket, and bots that run in threads against it."""

    match_start = MATCH_START

    def __init__(self, listener: socket.socket, threads: ThreadPoolExecutor) -> None:
        self._listener = listener
        self._threads = threads
        self.port: int = listener.getsockname()[1]
        self.peers: list[Peer] = []

    def run(self, bot: Any, **arguments: Any) -> Future[None]:
        """The bot's ``run`` in another thread."""
        arguments = {"name": "ada", "port": self.port, **arguments}
        return self._threads.submit(lambda: polynya_client.run(bot, **arguments))

    def run_each(self, make: Any, **arguments: Any) -> Future[None]:
        """The same for bots of which each match has one."""
        arguments = {"name": "ada", "port": self.port, **arguments}
        return self._threads.submit(lambda: polynya_client.run_each(make, **arguments))

    def accept(self) -> Peer:
        """The next connection."""
        return self.accept_over(lambda sock: sock)

    def accept_over(self, wrap: Callable[[socket.socket], socket.socket]) -> Peer:
        """The next connection, with something around its socket."""
        peer = Peer(wrap(self._listener.accept()[0]))
        self.peers.append(peer)
        return peer


@pytest.fixture
def scripted_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    for name in (
        "HOST",
        "PORT",
        "TOKEN",
        "TOKEN_FILE",
        "NAME",
        "TLS",
        "LOG",
        "RECONNECT",
        "GAMES",
        "CONCURRENCY",
        "CA_FILE",
    ):
        monkeypatch.delenv(f"POLYNYA_{name}", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        ThreadPoolExecutor(max_workers=2) as threads,
    ):
        listener.settimeout(SECONDS)
        server = ScriptedServer(listener, threads)
        yield server
        for peer in server.peers:
            peer.socket.close()
