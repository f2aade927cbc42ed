"""Where to connect, as whom, wanting what: the program's words, overridden by the environment.

The environment wins, so that ``polynya match`` and tournaments can start any bot unchanged.
"""

from __future__ import annotations

import math
import os
import platform
import ssl
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polynya_client.addresses import Address, read_addresses
from polynya_client.codec import SERVER_MAX_FRAME
from polynya_client.errors import BadSettings
from polynya_client.tokens import read_token, token_path

PROTOCOL_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that ``run`` needs to know; see there for the meaning of each."""

    servers: tuple[Address, ...]
    name: str | None = None
    token: str | None = None
    games: tuple[str, ...] | None = None
    wants: tuple[str, ...] = ()
    concurrency: int = 1
    software: Mapping[str, str] | None = None
    tls: ssl.SSLContext | None = None
    log: str | None = None
    reconnect_seconds: float = 60
    token_file: Path | None = None
    token_is_kept: bool = False

    def hello(self, name: str | None, token: str | None, registration: str) -> dict[str, Any]:
        """The message that introduces this bot, by the name and token now in force.

        Args:
            name: the bot's, None for that of its token.
            token: None if it has none yet.
            registration: any text that is ours alone: a bot without a token, whose welcome was
                lost, proves with it that the name is its own.
        """
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
        optional = {
            "name": name,
            "token": token,
            "registration": None if token else registration,
            "games": self.games and list(self.games),
        }
        return hello | {key: value for key, value in optional.items() if value is not None}


def read_settings(
    *,
    host: str | None,
    port: int | None,
    name: str | None,
    token: str | None,
    games: Sequence[str] | str | None,
    wants: Sequence[str] | str,
    concurrency: int,
    software: Mapping[str, str] | None,
    tls: bool | ssl.SSLContext,
    ca_file: str | None,
    log: str | None,
    reconnect_seconds: float,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings in force.

    Raises:
        BadSettings: no port is given anywhere, or one of them is not what it is to be.
    """
    servers = read_addresses(
        environment.get("POLYNYA_HOST") or host or "127.0.0.1",
        _port(environment.get("POLYNYA_PORT") or port),
    )
    name = environment.get("POLYNYA_NAME") or name
    file = token_path(*servers[0], name or "", environment)
    given, kept = _token(token, file, environment)
    return Settings(
        servers=servers,
        name=name,
        token=given or kept,
        token_file=file,
        token_is_kept=given is None and kept is not None,
        games=_games(environment.get("POLYNYA_GAMES"), games),
        wants=_words(wants, "wants"),
        concurrency=_concurrency(environment.get("POLYNYA_CONCURRENCY"), concurrency),
        software=software,
        tls=_tls(environment, tls, ca_file),
        log=environment.get("POLYNYA_LOG") or log,
        reconnect_seconds=_seconds(environment.get("POLYNYA_RECONNECT") or reconnect_seconds),
    )


def _token(
    argument: str | None, file: Path, environment: Mapping[str, str]
) -> tuple[str | None, str | None]:
    """A token that was given; else the token that an earlier start has kept."""
    if given := environment.get("POLYNYA_TOKEN"):
        return given, None
    if environment.get("POLYNYA_TOKEN_FILE"):
        return read_token(file) or argument, None
    return (argument, None) if argument else (None, read_token(file))


def _words(given: Any, name: str) -> tuple[str, ...]:
    """Words as they are meant: in a list, or separated by commas in one str."""
    if isinstance(given, str):
        return tuple(filter(None, (word.strip() for word in given.split(","))))
    if not isinstance(given, Iterable) or not all(isinstance(word, str) for word in given):
        raise BadSettings(f"{name} is a str or a list of them, not {given!r:.80}")
    return tuple(given)


def _games(environment: str | None, given: Any) -> tuple[str, ...] | None:
    return None if (games := environment or given) is None else _words(games, "games")


def _concurrency(environment: str | None, given: int) -> int:
    if not environment:
        return given
    if not (environment.isascii() and environment.isdigit() and int(environment) >= 1):
        raise BadSettings(
            f"POLYNYA_CONCURRENCY is a number of matches, from 1, not {environment!r}"
        )
    return int(environment)


def _seconds(given: str | float) -> float:
    try:
        seconds = math.inf if given == "forever" else float(given)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise BadSettings(
            f"how long to try to come back is a number of seconds or 'forever', not {given!r}"
        )
    return seconds


def _port(given: str | int | None) -> int | None:
    if given is None:
        return None
    try:
        port = int(given)
    except ValueError:
        port = 0
    if not 1 <= port <= 65535:
        raise BadSettings(f"a port is a number from 1 to 65535, not {given!r}")
    return port


def _tls(
    environment: Mapping[str, str], given: bool | ssl.SSLContext, ca_file: str | None
) -> ssl.SSLContext | None:
    """The context to use; the default one verifies the server's certificate and name."""
    if isinstance(given, ssl.SSLContext):
        return given
    if said := environment.get("POLYNYA_TLS"):
        given = said != "0"
    ca_file = environment.get("POLYNYA_CA_FILE") or ca_file
    try:
        return ssl.create_default_context(cafile=ca_file) if given else None
    except OSError as error:  # also what is no certificate
        raise BadSettings(f"the authorities in {ca_file} cannot be read: {error}") from error
