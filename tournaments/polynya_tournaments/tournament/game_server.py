"""Opens the game server of a tournament or a ladder; errors are sentences for a host.

The server writes its address into its database, and a sign of life every few seconds, so that pages
on that database find the matches that it plays.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import trio

from polynya_common.errors import ConfigurationError, RunError, StoreError, unwrap_single_error
from polynya_common.text import address, why_unopened
from polynya_server import Server, ServerSettings, open_server
from polynya_server.log import log
from polynya_server.settings import split_address
from polynya_server.transport.tls import TlsFilesError
from polynya_store import GameServer, Store, StoreJournal
from polynya_store.backends.backend import FencedError
from polynya_store.game_servers import BEAT_S

_FAREWELL_S = 2
"""Time limit for recording that the server has stopped; if missed, its signs of life expire."""


@asynccontextmanager
async def listening(
    settings: ServerSettings,
    journal: StoreJournal,
    game: str,
    players: int,
    tournament: str | None = None,
) -> AsyncIterator[Server]:
    """Open a server with errors for a host, and note it in the database.

    If another server takes over, bots are sent away at once, and the context fails with the
    journal.

    The server's spectator delay also applies to pages on its database. If several servers share a
    database, the longest of their delays applies there.

    Args:
        settings: the server's.
        journal: records its matches.
        game: the game that it plays.
        players: number of players of a match.
        tournament: the name of the tournament; None for a ladder.

    Raises:
        RunError: it cannot listen there.
        ConfigurationError: its certificate or key is unusable.
    """
    async with AsyncExitStack() as stack:
        try:
            with unwrap_single_error():
                server = await stack.enter_async_context(open_server(settings, journal))
        except OSError as error:
            where = address(settings.host, settings.port)
            raise RunError(f"cannot listen on {where}: {why_unopened(error)}") from error
        except TlsFilesError as error:
            raise ConfigurationError(str(error)) from error
        stack.enter_context(journal.leaving(server.leave))
        store = journal.store
        store.live_delay.ms = max(store.live_delay.ms, settings.live_delay_s * 1000)
        if store.durable:
            noted = _described(server, game, players, tournament)
            await stack.enter_async_context(_noted(store, noted))
        yield server


def _described(server: Server, game: str, players: int, tournament: str | None) -> GameServer:
    """The server's row in the database."""
    settings = server.settings
    told = settings.advertise
    host, port = (server.host, None) if told is None else split_address(told)
    certificate = settings.tls_cert
    return GameServer(
        id=secrets.token_hex(16),
        host=host,
        port=port or server.port,
        machine=socket.gethostname(),
        certificate=None if certificate is None else Path(certificate).read_text(encoding="ascii"),
        game=game,
        players=players,
        tournament=tournament,
        live_delay_ms=settings.live_delay_s * 1000,
        began_ms=time.time_ns() // 1_000_000,
    )


@asynccontextmanager
async def _noted(store: Store, server: GameServer) -> AsyncIterator[None]:
    """Write signs of life until the context exits."""
    try:
        with unwrap_single_error():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_beat, store, server)
                yield
                nursery.cancel_scope.cancel()
    finally:
        with trio.move_on_after(_FAREWELL_S, shield=True), suppress(FencedError):
            await _written(store.game_servers.forget, server)


async def _beat(store: Store, server: GameServer) -> None:
    while True:
        await _written(store.game_servers.note, server)
        await trio.sleep(BEAT_S)


async def _written(write: Callable[[GameServer], None], server: GameServer) -> None:
    """Write if possible now, without waiting: the next sign of life repeats it.

    Raises:
        FencedError: another server has taken over.
    """
    try:
        await trio.to_thread.run_sync(write, server, abandon_on_cancel=True)
    except FencedError:
        raise
    except StoreError as error:
        log.debug("a sign of life was not written", error=str(error))
