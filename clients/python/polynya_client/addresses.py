"""Where a contest's servers are: a list of addresses, which are tried in turn.

``HOST,HOST:PORT,[IPV6]:PORT``: a host without a port has the port that was given beside the list.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from polynya_client.errors import BadSettings, ClientError, ServerError, ServerLeft

_HOST = re.compile(r"[^\s:\[\]]+")
_IPV6 = re.compile(r"[^\s\[\]]*:[^\s\[\]]*:[^\s\[\]]*")
_WITH_PORT = re.compile(r"(?:\[(?P<ipv6>[^\s\[\]]+)\]|(?P<host>[^\s:\[\]]+)):(?P<port>[0-9]{1,5})")
_BRACKETED = re.compile(r"\[(?P<ipv6>[^\s\[\]]+)\]")
_MOST_PORT = 65535
_PATIENCE_SECONDS = 10.0
_PATIENCE_AMONG_SEVERAL_SECONDS = 3.0
"""A server that stands still connects and says nothing: another one may play meanwhile."""


class Address(NamedTuple):
    """One server's."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def read_addresses(text: str, port: int | None) -> tuple[Address, ...]:
    """The addresses in a list.

    Args:
        text: the list.
        port: of those that name none; None if there is none.

    Raises:
        BadSettings: one of them is no address, or has no port.
    """
    return tuple(_address(item.strip(), port) for item in text.split(","))


def _address(item: str, port: int | None) -> Address:
    if found := _WITH_PORT.fullmatch(item):
        host, given = found["ipv6"] or found["host"], int(found["port"])
        if 1 <= given <= _MOST_PORT:
            return Address(host, given)
    elif found := _BRACKETED.fullmatch(item):
        return Address(found["ipv6"], _needed(port))
    elif _HOST.fullmatch(item) or _IPV6.fullmatch(item):
        return Address(item, _needed(port))
    raise BadSettings(
        f"a server is HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to {_MOST_PORT}, and "
        f"several are separated by commas, not {item!r}"
    )


def _needed(port: int | None) -> int:
    if port is None:
        raise BadSettings("no port: set POLYNYA_PORT, or call run(..., port=...)")
    return port


class Servers:
    """The addresses, and which of them is tried next.

    A server that is not there, has no room or says goodbye is followed by the next one; a
    connection that is lost in a session is made again with the same server first.

    Attributes:
        patience: how long a server may take to connect, and then to welcome the bot, in seconds.
    """

    def __init__(self, addresses: Sequence[Address]) -> None:
        self._addresses = deque(addresses)
        self._is_welcome = False
        is_one = len(set(addresses)) == 1
        self.patience = _PATIENCE_SECONDS if is_one else _PATIENCE_AMONG_SEVERAL_SECONDS

    def attempts(self) -> Iterator[Address]:
        """Each address once, the next one first; another is asked for when one does not answer."""
        for _ in range(len(self._addresses)):
            yield self._addresses[0]
            self._addresses.rotate(-1)

    def welcome(self) -> None:
        """The present server has begun a session."""
        self._is_welcome = True

    def after(self, trouble: ClientError) -> None:
        """The present server has ended it, or not begun it."""
        if not self._is_welcome or isinstance(trouble, ServerError | ServerLeft):
            self._addresses.rotate(-1)
        self._is_welcome = False
