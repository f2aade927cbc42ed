"""The pages over HTTP, in the event loop of the game server."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import hypercorn.trio
import structlog
import trio
from hypercorn.config import Config
from hypercorn.typing import Framework

from polynya_server import MatchRecord, Server
from polynya_tournaments.ladder.operator_control import Control
from polynya_tournaments.store import Store, StoreJournal
from polynya_web.application import make_application
from polynya_web.play.human_matches import open_human_matches
from polynya_web.settings import WebSettings
from polynya_web.site import make_site

log = structlog.get_logger("polynya_web")

_CLOSING_S = 2
_SENT_AHEAD_BYTES = 256 * 1024
_UNREAD_MS = 10_000
"""How long a viewer may take nothing of what waits for him; closing the pages lasts as long."""


@asynccontextmanager
async def open_web(
    settings: WebSettings,
    store: Store | None = None,
    server: Server | None = None,
    journal: StoreJournal | None = None,
    control: Control | None = None,
    opened: MatchRecord | None = None,
) -> AsyncIterator[str]:
    """Answer as long as the block lasts.

    Args:
        settings: where to listen, and what is shown.
        store: the database that the pages show; it is only read.
        server: the game server of this process, whose matches are shown live.
        journal: where the matches of persons are recorded; None if the server's records are kept
            nowhere.
        control: what the operator may do on pages behind a token; None for no such pages.
        opened: the one match that is shown, where there is no database.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    site = make_site(settings, store, server, control)
    over = trio.Event()
    async with (
        open_human_matches(settings, server, journal) as human_matches,
        trio.open_nursery() as nursery,
    ):
        application = make_application(site, human_matches, opened)
        serve = partial(hypercorn.trio.serve, cast("Framework", application), _config(settings))
        up = trio.Event()
        [address] = await nursery.start(_serve, partial(serve, shutdown_trigger=over.wait), up)
        up.set()
        if site.hub is not None:
            nursery.start_soon(site.hub.run)
        try:
            yield address
        finally:
            if site.hub is not None:
                site.hub.close()  # else the streams of events would outlast all patience
            if human_matches is not None:
                human_matches.close()
            over.set()
            nursery.cancel_scope.deadline = trio.current_time() + _CLOSING_S


async def _serve(
    serve: Callable[..., Awaitable[None]],
    up: trio.Event,
    *,
    task_status: trio.TaskStatus[list[str]],
) -> None:
    """Serve; what fails once it is up ends the pages and not the matches."""
    try:
        await serve(task_status=task_status)
    except Exception:
        if not up.is_set():
            raise
        log.exception("the web pages have failed; matches go on")


def _config(settings: WebSettings) -> Config:
    config = Config()
    config.bind = [f"fd://{_bound(settings.host, settings.port)}"]
    config.errorlog = None
    config.include_server_header = False
    # No read_timeout: it would end every stream of events whose viewer has nothing more to ask.
    config.graceful_timeout = 1
    return config


def _bound(host: str, port: int) -> int:
    """The file descriptor of a socket that is bound there; Hypercorn would leave it open if not.

    What the kernel keeps for a viewer who does not read is bounded, too, and how long it keeps it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Hypercorn's sending cannot be cancelled
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_MS)
    return listening.detach()
