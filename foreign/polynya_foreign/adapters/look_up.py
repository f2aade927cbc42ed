"""The numbers of a host's name: the system's resolver has no deadline, so a thread waits for it."""

from __future__ import annotations

import ipaddress
import socket
import threading
from concurrent.futures import Future


class LookUp:
    """The numbers of one host, found once; one thread at a time looks them up.

    Args:
        host: its name or number.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self._found: Future[list[str]] | None = None

    def numbers(self, seconds: float) -> list[str]:
        """The host's numbers.

        Args:
            seconds: how long to wait for them.

        Raises:
            TimeoutError: they are late.
            OSError: it has none.
        """
        if self._found is None:
            self._found = self._begin()
        numbers = self._found
        try:
            return numbers.result(seconds)
        except OSError:
            if numbers.done():
                self._found = None
            raise

    def _begin(self) -> Future[list[str]]:
        found: Future[list[str]] = Future()
        try:
            found.set_result([str(ipaddress.ip_address(self._host))])
        except ValueError:
            about = (self._host, found)
            threading.Thread(
                target=_look_up, args=about, name="polynya-look-up", daemon=True
            ).start()
        return found


def _look_up(host: str, found: Future[list[str]]) -> None:
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        found.set_exception(error)
    except UnicodeError:
        found.set_exception(OSError(f"{host} is no name of a host"))
    else:
        found.set_result([str(entry[4][0]) for entry in entries])
