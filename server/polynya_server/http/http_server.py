"""Serves the metrics and the web pages over HTTP in the game server's event loop.

It speaks HTTP/1.1 only; HTTP/2 without TLS is refused, both by its preface and as an upgrade. One
connection of HTTP/2 carries frames that cost their sender next to nothing and the loop of the
matches much (``HEADERS`` with ``RST_STREAM``). Browsers speak HTTP/2 over TLS only, which ends at
a proxy.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

import h11
import trio
from hypercorn.config import Config
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState, Framework
from hypercorn.utils import repr_socket_addr, wrap_app
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from polynya_server.http.budget import HttpBudget, measured
from polynya_server.http.pacing import PacedApplication, PacedListener, PacedStream
from polynya_server.log import log


class Http1Config(Config):
    """The settings of a Hypercorn server that speaks HTTP/1.1 and nothing else."""


class Http1Only:
    """Middleware that refuses a request of another version, such as the preface of HTTP/2."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["http_version"] not in ("1.0", "1.1"):
            # Without "connection: close": Hypercorn would close at the rest of the preface, before
            # the answer is sent. As no request of HTTP/1.1 it ends the connection after it.
            answer = PlainTextResponse("this server speaks HTTP/1.1 only\n", 505)
        await answer(scope, receive, send)


_detect_other_protocol = H11Protocol._check_protocol


async def _detect_unless_http1_only(self: H11Protocol, event: h11.Request) -> None:
    """Hypercorn has no setting for this: go on with HTTP/1.1 where it would change to HTTP/2.

    An `Upgrade` may be ignored (RFC 9110, section 7.8).
    """
    if not isinstance(self.config, Http1Config):
        await _detect_other_protocol(self, event)


H11Protocol._check_protocol = _detect_unless_http1_only  # type: ignore[method-assign]


_CLOSING_S = 2
_GRACE_S = 1
_accept_log = logging.getLogger("trio.serve_listeners")
_SENT_AHEAD_BYTES = 256 * 1024
_UNREAD_MS = 10_000
"""Drop a client that reads nothing for this long; closing the server may take as long."""


@asynccontextmanager
async def open_http(
    application: Starlette,
    host: str,
    port: int,
    budget: HttpBudget,
    read_timeout_s: int | None = None,
) -> AsyncIterator[str]:
    """Answer on ``host`` and ``port`` (0 for any free one) until the context exits.

    A failure after the start is logged; it ends the HTTP server and no match.

    Args:
        application: makes the answers.
        host: the address to listen on.
        port: the port there.
        budget: the time that it may take from the matches.
        read_timeout_s: how long a client may send nothing; None where streams of events, whose
            clients have nothing more to ask, must stay open.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    config = Http1Config()
    config.errorlog = None
    config.include_server_header = False
    config.read_timeout = read_timeout_s
    sock = trio.socket.from_stdlib_socket(_listen(host, port))
    listener = PacedListener(trio.SocketListener(sock), budget)
    app = cast("Framework", Http1Only(PacedApplication(application, budget)))
    with _short_accept_failures():
        async with trio.open_nursery() as nursery:
            accepting = trio.CancelScope()
            nursery.start_soon(_serve, app, config, listener, budget, accepting)
            try:
                yield f"http://{repr_socket_addr(sock.family, sock.getsockname())}"
            finally:
                accepting.cancel()
                nursery.cancel_scope.deadline = trio.current_time() + _CLOSING_S


@contextmanager
def _short_accept_failures() -> Iterator[None]:
    """Log a failure to accept, such as too many open files, in one sentence and not too often.

    Trio logs it ten times a second, each time with a traceback.
    """

    def shorten(record: logging.LogRecord) -> bool:
        log.repeated("error", f"a connection over HTTP cannot be accepted: {record.getMessage()}")
        return False

    _accept_log.addFilter(shorten)
    try:
        yield
    finally:
        _accept_log.removeFilter(shorten)


async def _serve(
    app: Framework,
    config: Http1Config,
    listener: PacedListener,
    budget: HttpBudget,
    accepting: trio.CancelScope,
) -> None:
    """Answer, as ``hypercorn.trio.serve`` does, until ``accepting`` is cancelled."""
    wrapped = wrap_app(app, config.wsgi_max_body_size, "asgi")
    context = WorkerContext(None)

    async def answer(stream: PacedStream) -> None:
        # It wants a stream with TLS, or a stream that has no such methods.
        connection = TCPServer(wrapped, config, context, ConnectionState({}), cast("Any", stream))
        try:
            await measured(connection.run(), budget.spend)
        except Exception:
            log.exception("a connection over HTTP has failed; matches go on")

    async with trio.open_nursery() as connections:
        with accepting:
            try:
                await trio.serve_listeners(answer, [listener], handler_nursery=connections)
            except Exception:
                log.exception("an HTTP server has failed; matches go on")
        await context.terminated.set()
        connections.cancel_scope.deadline = trio.current_time() + _GRACE_S


def _listen(host: str, port: int) -> socket.socket:
    """A socket that is bound there.

    The kernel keeps a bounded number of bytes for a client that does not read, and not for long.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Hypercorn's sending cannot be cancelled
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    return listening
