"""The pump: who is called when more than one socket can be read."""

from __future__ import annotations

import socket
import sys

import pytest
import trio

from polynya_server.cork import Cork
from polynya_server.pump import EpollPump

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no epoll")


class Unread:
    """A client that never reads what has come, so that it can always be read."""

    def __init__(self, name: str, sock: socket.socket, calls: list[str]) -> None:
        self.name = name
        self._sock = sock
        self._calls = calls
        self.asks_again: EpollPump | None = None

    def fileno(self) -> int:
        return self._sock.fileno()

    def on_readable(self) -> None:
        self._calls.append(self.name)
        if self.asks_again is not None:
            self.asks_again.again(self)
            self.asks_again = None

    def on_writable(self) -> None:
        raise AssertionError("nobody asked for it")

    def on_crash(self, error: Exception) -> None:
        raise error


@pytest.mark.parametrize(
    ("asks_again", "expected"),
    [(True, ["door", "bot", "door", "door"]), (False, ["door", "bot", "door", "bot"])],
)
async def test_who_asks_again_is_called_after_the_batch(
    asks_again: bool, expected: list[str]
) -> None:
    calls: list[str] = []
    pump = EpollPump(Cork())
    near, far = socket.socketpair()
    other_near, other_far = socket.socketpair()
    with near, far, other_near, other_far:
        far.send(b"x")
        other_far.send(b"x")
        door = Unread("door", near, calls)
        door.asks_again = pump if asks_again else None
        pump.add(door)
        pump.add(Unread("bot", other_near, calls))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump.run)
            with trio.fail_after(5):
                while len(calls) < len(expected):
                    await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
        pump.close()
    assert expected == calls[: len(expected)]
