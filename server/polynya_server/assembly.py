"""Opens a server: makes its parts, gives each what it needs, and runs their tasks."""

from __future__ import annotations

import socket
import sys
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Literal, get_args

import trio

import polynya_games
from polynya_protocol.codec import decoder_from_client
from polynya_server.log import log
from polynya_server.match.match_setup import GameLoader
from polynya_server.match_pool import MatchPool
from polynya_server.metrics.counters import ServerMetrics
from polynya_server.records import Journal
from polynya_server.server import Server
from polynya_server.sessions.author_notices import Notices
from polynya_server.sessions.bot_registry import BotRegistry
from polynya_server.sessions.handshake import Handshake
from polynya_server.sessions.tokens import TokenBook
from polynya_server.settings import ServerSettings
from polynya_server.spectating.spectator import Spectator
from polynya_server.spectating.spectator_hub import SpectatorHub
from polynya_server.timing import monotonic_clock
from polynya_server.timing.collector import PausedCollector, calm_collector
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay
from polynya_server.transport.arrival import receiver
from polynya_server.transport.base import Reactor
from polynya_server.transport.connection import Connection
from polynya_server.transport.listener import Listener, listen
from polynya_server.transport.reactor import make_reactor
from polynya_server.transport.tls import Certificate

Mechanism = Literal["write-batch", "epoll-reactor", "paused-collector", "switch-interval"]

MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)
"""Optional mechanisms for speed, by the names with which a benchmark leaves them out.

Without them a server does the same, more slowly; ``docs/design/002-mechanisms-for-speed.md`` says
what each brings.
"""

SWITCH_INTERVAL_S = 0.0002
"""How long another thread may keep the interpreter while the loop waits for it.

Threads render pages. Python's default is 5 ms, and the loop releases the interpreter in each
system call. Beside a busy thread a move waited for 28 ms on average, and for 6 to
12 ms with this interval.
"""


@contextmanager
def short_switch_interval() -> Iterator[None]:
    """Shorten Python's switch interval until the context exits."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@asynccontextmanager
async def open_server(
    settings: ServerSettings,
    journal: Journal,
    load_game: GameLoader = polynya_games.load,
    without: Collection[Mechanism] = (),
) -> AsyncIterator[Server]:
    """Open a server; it listens until the context exits.

    Args:
        settings: where to listen, and the limits.
        journal: keeps registrations and results.
        load_game: gives the game of a name; the installed ones by default.
        without: mechanisms for speed to leave out, to measure what they bring.

    Resource handling:
        When the context exits, everything is closed at once and matches in play are lost; call
        :meth:`Server.stop` first to end them in order.

    Error handling:
        No peer and no failed match ever ends the context. An exception from its body propagates
        unchanged, not in an exception group.

    Raises:
        OSError: it cannot listen there.
        TlsFilesError: its certificate or key cannot be used.
    """
    failed: Exception | None = None
    log.repeated_events.clear()  # the counts of an earlier server are not this one's
    with ExitStack() as stack:
        if "paused-collector" not in without:
            stack.enter_context(calm_collector())
        if "switch-interval" not in without:
            stack.enter_context(short_switch_interval())
        async with trio.open_nursery() as nursery:
            deadlines = DeadlineQueue(monotonic_clock.reader())
            collector = None if "paused-collector" in without else PausedCollector(deadlines)
            reactor = make_reactor(
                nursery,
                private_epoll="epoll-reactor" not in without,
                write_batches="write-batch" not in without,
            )
            server = await _build(
                settings, journal, load_game, nursery, deadlines, reactor, collector
            )
            nursery.start_soon(deadlines.run)
            nursery.start_soon(reactor.run)
            try:
                yield server
            except Exception as error:
                failed = error
            finally:
                server.close()
                reactor.close()
                nursery.cancel_scope.cancel()
    if failed is not None:
        raise failed


async def _build(
    settings: ServerSettings,
    journal: Journal,
    load_game: GameLoader,
    nursery: trio.Nursery,
    deadlines: DeadlineQueue,
    reactor: Reactor,
    collector: PausedCollector | None,
) -> Server:
    certificate = None
    if settings.tls_cert is not None and settings.tls_key is not None:
        certificate = Certificate(settings.tls_cert, settings.tls_key)
    decoder = decoder_from_client(settings.max_items, settings.max_nesting)
    decoder.prepare()  # before a peer can wait for it
    sock = await listen(settings.host, settings.port)
    metrics = ServerMetrics(deadlines.now)
    loop_delay = LoopDelay(deadlines, metrics.observe_loop_delay)
    registry = BotRegistry(settings, deadlines, loop_delay)
    hub = SpectatorHub(deadlines, settings.live_delay_s, registry.changes.notify)
    tokens = TokenBook()
    for name, token_hash in journal.token_hashes().items():
        tokens.add(name, token_hash)
    notices = Notices(registry)

    def admit_spectator(connection: Connection) -> None:
        connection.handler = Spectator(connection, hub, settings.max_spectator_unsent)

    handshake = Handshake(
        settings, deadlines.now, nursery, journal, registry, tokens, notices, admit_spectator
    )
    connect = partial(
        Connection,
        handler=handshake,
        settings=settings,
        deadlines=deadlines,
        reactor=reactor,
        receive=receiver(deadlines.now, settings.kernel_times),
        decoder=decoder,
    )
    new_listener = partial(
        Listener,
        connect=connect,
        reactor=reactor,
        deadlines=deadlines,
        settings=settings,
        counter=metrics,
    )
    listener = new_listener(sock, certificate=certificate)

    def listener_of_bot(sock: socket.socket, name: str) -> Listener:
        only = partial(connect, handler=handshake.only_for(name))
        return new_listener(sock, connect=only, peer=f"the hosted bot {name}")

    pool = MatchPool(
        load_game,
        settings.ready_ms,
        nursery,
        deadlines,
        loop_delay,
        collector,
        metrics,
        journal,
        registry,
        hub,
    )
    return Server(
        settings,
        metrics,
        listener,
        listener_of_bot,
        registry,
        handshake,
        hub,
        tokens,
        notices,
        pool,
    )
