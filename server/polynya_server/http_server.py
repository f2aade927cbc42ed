"""An HTTP server in the event loop of the game server: for the metrics, and for the web pages."""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import cast

import hypercorn.trio
import trio
from hypercorn.typing import Framework
from starlette.applications import Starlette

from polynya_server.http1_only import Http1Config, Http1Only
from polynya_server.log import log

_CLOSING_S = 2
_accept_log = logging.getLogger("trio.serve_listeners")
_SENT_AHEAD_BYTES = 256 * 1024
_UNREAD_MS = 10_000
"""How long a client may leave unread what was sent to it; closing the server lasts as long."""


@asynccontextmanager
async def open_http(
    application: Starlette, host: str, port: int, read_timeout_s: int | None = None
) -> AsyncIterator[str]:
    """Answer on ``host`` and ``port`` (0 for any free one) as long as the block lasts.

    A failure after the start is logged; it ends the HTTP server and no match.

    Args:
        application: makes the answers.
        host: the address to listen on.
        port: the port there.
        read_timeout_s: how long a client may send nothing; None where streams of events, whose
            clients have nothing more to ask, must stay open.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    config = Http1Config()
    config.bind = [f"fd://{_listen(host, port)}"]
    config.errorlog = None
    config.include_server_header = False
    config.read_timeout = read_timeout_s
    config.graceful_timeout = 1
    over, up = trio.Event(), trio.Event()
    serve = partial(
        hypercorn.trio.serve,
        cast("Framework", Http1Only(application)),
        config,
        shutdown_trigger=over.wait,
    )
    with _short_accept_failures():
        async with trio.open_nursery() as nursery:
            [address] = await nursery.start(_serve, serve, up)
            up.set()
            try:
                yield address
            finally:
                over.set()
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
    serve: Callable[..., Awaitable[None]],
    up: trio.Event,
    *,
    task_status: trio.TaskStatus[list[str]],
) -> None:
    """Serve; a failure before the start is raised, a later one logged."""
    try:
        await serve(task_status=task_status)
    except Exception:
        if not up.is_set():
            raise
        log.exception("an HTTP server has failed; matches go on")


def _listen(host: str, port: int) -> int:
    """The file descriptor of a socket that is bound there; Hypercorn would leave it open if not.

    The kernel keeps a bounded number of bytes for a client that does not read, and not for long.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Hypercorn's sending cannot be cancelled
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    return listening.detach()
