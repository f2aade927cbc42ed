"""Makes connections and requests wait for their turn in an :class:`HttpBudget`."""

from __future__ import annotations

import trio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from polynya_server.http.budget import ACCEPT_S, HttpBudget, measured

_READ_BYTES = 4096
"""Requests read per turn: a client could send a thousand small ones at once."""


class PacedListener(trio.abc.Listener["PacedStream"]):
    """Accepts connections when there is time for them; until then they wait in the kernel."""

    def __init__(self, listener: trio.SocketListener, budget: HttpBudget) -> None:
        self._listener = listener
        self._budget = budget

    async def accept(self) -> PacedStream:
        """See trio's ``Listener``."""
        await self._budget.turn()
        stream = await self._listener.accept()
        self._budget.spend(ACCEPT_S)
        return PacedStream(stream, self._budget)

    async def aclose(self) -> None:
        """See trio's ``Listener``."""
        await self._listener.aclose()


class PacedStream(trio.abc.HalfCloseableStream):
    """Hands over a connection's bytes when there is time for them.

    Attributes:
        socket: the connection's, which Hypercorn asks for its addresses.
    """

    def __init__(self, stream: trio.SocketStream, budget: HttpBudget) -> None:
        self.socket = stream.socket
        self._stream = stream
        self._budget = budget
        self._address: str | None = None

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """See trio's ``ReceiveStream``."""
        data = await self._stream.receive_some(min(max_bytes or _READ_BYTES, _READ_BYTES))
        await self._budget.turn(self._client())
        return data

    def _client(self) -> str:
        if self._address is None:
            try:
                self._address = str(self.socket.getpeername()[0])
            except OSError:  # it has gone
                self._address = ""
        return self._address

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """See trio's ``SendStream``."""
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """See trio's ``SendStream``."""
        await self._stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """See trio's ``HalfCloseableStream``."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """See trio's ``AsyncResource``."""
        await self._stream.aclose()


class PacedApplication:
    """Middleware: each request waits for its turn, and its work is measured.

    Match events are not charged: their number is bounded separately.
    """

    def __init__(self, app: ASGIApp, budget: HttpBudget) -> None:
        self._app = app
        self._budget = budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        counted = True

        def spend(seconds: float) -> None:
            if counted:
                self._budget.spend(seconds)

        async def send_on(message: Message) -> None:
            nonlocal counted
            if message["type"] == "http.response.start":
                counted = not _is_stream(message)
            await send(message)

        await self._budget.turn((scope.get("client") or [""])[0])
        await measured(self._work(scope, receive, send_on), spend)

    async def _work(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _is_stream(start: Message) -> bool:
    kind = dict(start["headers"]).get(b"content-type", b"")
    return bool(kind.startswith(b"text/event-stream"))
