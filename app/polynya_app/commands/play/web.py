"""``polynya web`` and ``polynya replay open``: pages without a game server."""

from __future__ import annotations

import sys
import webbrowser
from typing import Annotated

import trio
from cyclopts import Parameter

from polynya_app.commands.records.replay import record_of
from polynya_app.console.announcements import Announcements, configure_logs
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Number
from polynya_app.signals import stop_on_signals
from polynya_app.web_pages import DEFAULT_HOST, DEFAULT_PORT, pages
from polynya_store import Store
from polynya_web.page_sources import PageSources

NoBrowser = Annotated[bool, Parameter(name="--no-browser")]


async def web(
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    host: str = DEFAULT_HOST,
    port: Number = DEFAULT_PORT,
    hosts: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    reports: Annotated[str, Parameter(show_default=False)] = "",
) -> None:
    """Show a database in the browser: matches, replays, ladders, tournaments, bots.

    Prints the address to standard error; ends with Ctrl-C. The command only
    reads the database; servers and tournaments may use it meanwhile.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        host: The address to serve the pages on; 0.0.0.0 for all.
        port: The port, 0 for any free one.
        hosts: A host name of the pages, such as contest.example; may be repeated.
            IP addresses, localhost and the machine's own names are known.
        reports: The folder of published reports and bundles, TOURNAMENT.html and
            TOURNAMENT.zip, which the pages link to.
    """
    configure_logs()
    settings = {"host": host, "port": port, "hosts": hosts, "reports": reports}
    with Store.open(database) as store:
        await _show(settings, PageSources(store))


async def open_replay(
    match: str,
    /,
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    port: Number = 0,
    no_browser: NoBrowser = False,
) -> None:
    """Show a recorded match in the browser, move by move.

    Serves it on this machine only, prints the address to standard error and opens
    it in the system's browser; ends with Ctrl-C.

    Args:
        match: A .replay file, or the id of a match in the database.
        database: A file, or postgresql://USER@HOST/NAME.
        port: The port, 0 for any free one.
        no_browser: Only print the address.
    """
    configure_logs()
    record = record_of(match, database)
    await _show({"port": port}, PageSources(opened=record), browse=not no_browser)


async def _show(settings: dict[str, object], sources: PageSources, *, browse: bool = False) -> None:
    """Serve pages until stopped."""
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(stop_on_signals, stop)
        async with pages(settings, sources) as address:
            Announcements().pages(address)
            if browse and not await trio.to_thread.run_sync(webbrowser.open, address):
                print("no browser was found: open the address yourself", file=sys.stderr)
            await stop.wait()
        nursery.cancel_scope.cancel()
