"""Opens the game server of a tournament or a ladder; errors are sentences for a host."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from polynya_server import Journal, Server, ServerSettings, open_server
from polynya_server.transport.tls import TlsFilesError
from polynya_tournaments.errors import ConfigurationError, RunError, unwrap_single_error
from polynya_tournaments.store import StoreJournal
from polynya_tournaments.text import address, why_unopened


@asynccontextmanager
async def listening(settings: ServerSettings, journal: Journal) -> AsyncIterator[Server]:
    """``open_server``, with errors for a host.

    What the server shows later, pages of its database tell later, too. Several servers that play
    into one have the longest delay of them there.

    Raises:
        RunError: it cannot listen there.
        ConfigurationError: its certificate or key cannot be used.
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
        if isinstance(journal, StoreJournal):
            store = journal.store
            store.live_delay.ms = max(store.live_delay.ms, settings.live_delay_s * 1000)
        yield server
