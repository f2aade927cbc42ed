"""``polynya docs`` and ``polynya protocol``: documentation for the browser and for programs."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import trio
from cyclopts import Parameter

from polynya_app.application import DONE, FAILED
from polynya_app.console.announcements import Announcements
from polynya_app.console.output import complain
from polynya_app.flags.parameters import Number
from polynya_app.signals import stop_on_signals
from polynya_common.extras import shipped
from polynya_protocol.schema import json_schema_text

_LOOPBACK = "127.0.0.1"


async def docs(
    *,
    folder: Path | None = None,
    port: Number = 0,
    no_browser: Annotated[bool, Parameter(name="--no-browser")] = False,
) -> int:
    """Open the documentation of this version in the browser.

    Serves it on this machine only, and ends with Ctrl-C. The files need no
    server: their folder may be copied to any web server, too.

    Args:
        folder: A built site; without, the one of this installation.
        port: The port, 0 for any free one.
        no_browser: Only print the address.
    """
    site = _site() if folder is None else folder
    if not (site / "index.html").is_file():
        complain(f"there is no documentation in {site}: in a checkout, 'make site' builds it")
        return FAILED
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(stop_on_signals, stop)
        with _served(site, port) as server:
            nursery.start_soon(_serve, server)
            address = f"http://{_LOOPBACK}:{server.server_port}/"
            announcements = Announcements()
            announcements.say(f"documentation on {address}")
            if not no_browser and not await trio.to_thread.run_sync(webbrowser.open, address):
                announcements.say("no browser was found: open the address yourself")
            await stop.wait()
            nursery.cancel_scope.cancel()
    return DONE


def _site() -> Path:
    """The site in the wheel, or in a checkout."""
    return shipped("site", "build/site/html")


async def _serve(server: ThreadingHTTPServer) -> None:
    """Answer in a thread, which ends with this program."""
    await trio.to_thread.run_sync(server.serve_forever, abandon_on_cancel=True)


@contextmanager
def _served(site: Path, port: int) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer((_LOOPBACK, port), partial(_Files, directory=str(site))) as server:
        server.daemon_threads = True
        yield server


class _Files(SimpleHTTPRequestHandler):
    """Files of one folder, without a log."""

    timeout = 10
    """Seconds that a connection may be silent."""

    def list_directory(self, path: Any) -> None:  # noqa: ARG002 -- the folder's name is of no use
        """No lists of files."""
        self.send_error(404)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name in the library
        """Nothing: the terminal is for the address."""


def schema() -> None:
    """Write the JSON Schema of all messages to standard output."""
    sys.stdout.write(json_schema_text())
