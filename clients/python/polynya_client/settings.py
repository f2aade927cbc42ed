"""Where to connect, as whom, wanting what: the program's words, overridden by the environment.

The environment wins, so that ``polynya match`` and tournaments can start any bot unchanged.
"""

from __future__ import annotations

import os
import platform
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polynya_client.codec import SERVER_MAX_FRAME
from polynya_client.errors import BadSettings

PROTOCOL_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that ``run`` needs to know; see there for the meaning of each."""

    host: str
    port: int
    name: str | None = None
    token: str | None = None
    games: tuple[str, ...] | None = None
    wants: tuple[str, ...] = ()
    concurrency: int = 1
    software: Mapping[str, str] | None = None
    tls: ssl.SSLContext | None = None
    log: str | None = None

    def hello(self, name: str | None, token: str | None) -> dict[str, Any]:
        """The message that introduces this bot, by the name and token now in force."""
        hello: dict[str, Any] = {
            "type": "hello",
            "protocol": PROTOCOL_VERSION,
            "concurrency": self.concurrency,
            "wants": list(self.wants),
            "software": {
                "name": "polynya-client",
                "language": f"Python {platform.python_version()}",
                **(self.software or {}),
            },
            "max_frame": SERVER_MAX_FRAME,
        }
        optional = {"name": name, "token": token, "games": self.games and list(self.games)}
        return hello | {key: value for key, value in optional.items() if value is not None}


def read_settings(
    *,
    host: str | None,
    port: int | None,
    name: str | None,
    token: str | None,
    games: Sequence[str] | None,
    wants: Sequence[str],
    concurrency: int,
    software: Mapping[str, str] | None,
    tls: bool | ssl.SSLContext,
    log: str | None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings in force.

    Raises:
        BadSettings: no port is given anywhere, or it is no port.
    """
    return Settings(
        host=environment.get("POLYNYA_HOST") or host or "127.0.0.1",
        port=_port(environment.get("POLYNYA_PORT") or port),
        name=environment.get("POLYNYA_NAME") or name,
        token=environment.get("POLYNYA_TOKEN") or token,
        games=None if games is None else tuple(games),
        wants=tuple(wants),
        concurrency=concurrency,
        software=software,
        tls=_tls(environment.get("POLYNYA_TLS"), tls),
        log=environment.get("POLYNYA_LOG") or log,
    )


def _port(given: str | int | None) -> int:
    if given is None:
        raise BadSettings("no port: set POLYNYA_PORT, or call run(..., port=...)")
    try:
        port = int(given)
    except ValueError:
        port = 0
    if not 1 <= port <= 65535:
        raise BadSettings(f"a port is a number from 1 to 65535, not {given!r}")
    return port


def _tls(environment: str | None, given: bool | ssl.SSLContext) -> ssl.SSLContext | None:
    """The context to use; the default one verifies the server's certificate and name."""
    if isinstance(given, ssl.SSLContext):
        return given
    if environment:
        given = environment != "0"
    return ssl.create_default_context() if given else None
