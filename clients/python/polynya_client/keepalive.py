"""A sign of life while the bot thinks: servers drop a peer that is silent for three heartbeats."""

from __future__ import annotations

import threading
import time

from polynya_client.connection import Connection
from polynya_client.errors import ConnectionLost


class KeepAlive:
    """Sends a ``ping`` whenever nothing else was sent for a heartbeat, in a thread of its own.

    The thread sleeps otherwise, so that it costs the bot no time.
    """

    def __init__(self, connection: Connection, heartbeat: float) -> None:
        self._connection = connection
        self._heartbeat = heartbeat
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="polynya-keepalive", daemon=True).start()

    def close(self) -> None:
        """Send no more."""
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(self._heartbeat):
            if time.monotonic() - self._connection.sent >= self._heartbeat:
                try:
                    self._connection.send({"type": "ping", "nonce": 0})
                except ConnectionLost:
                    return  # whoever receives notices too
