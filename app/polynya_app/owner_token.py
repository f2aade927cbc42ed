"""A bot's token, as its author has it: given, kept, or registered now."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_tournaments.uploads.upload_client import register

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]")
_WHERE: Final = "set POLYNYA_TOKEN to the bot's token, or POLYNYA_TOKEN_FILE to a file with it"


def known_token(server: str, bot: str, environment: Mapping[str, str]) -> str | None:
    """The token that is given, or was kept; None where there is none.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    if token := environment.get("POLYNYA_TOKEN", "").strip():
        return token
    path = token_file(server, bot, environment)
    try:
        return path.read_text("utf-8-sig").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"the token in {path} cannot be read: {error}") from error


def owner_token(server: str, bot: str, environment: Mapping[str, str]) -> str:
    """The token of a bot that has one.

    Raises:
        ConfigurationError: there is none; the message says where it is looked for.
    """
    token = known_token(server, bot, environment)
    if token is None:
        path = token_file(server, bot, environment)
        raise ConfigurationError(f"there is no token of {bot} in {path}: {_WHERE}")
    return token


def token_for_upload(
    server: str, bot: str, environment: Mapping[str, str], tell: Callable[[str], None]
) -> str:
    """The token of a bot; a name that has none yet is registered, and its token kept.

    Args:
        server: the address of the server's pages.
        bot: its name.
        environment: variables of this process.
        tell: is told where a new token is kept.

    Raises:
        ConfigurationError: there is none, and the server registers no such name.
        TournamentError: the server does not answer, or the token cannot be kept.
    """
    if (token := known_token(server, bot, environment)) is not None:
        return token
    path = token_file(server, bot, environment)
    _check_writable(path)
    try:
        token = register(server, bot, secrets.token_urlsafe(16))
    except TournamentError as error:
        raise ConfigurationError(
            f"there is no token of {bot} in {path}, and none can be had: {error}; {_WHERE}"
        ) from error
    _keep(path, token)
    tell(f"{bot} is registered now; its token is in {path}: keep this file, there is no other copy")
    return token


def token_file(server: str, bot: str, environment: Mapping[str, str]) -> Path:
    """Where a token is kept, by the rules of the SDKs: one file for each server and name."""
    if given := environment.get("POLYNYA_TOKEN_FILE"):
        return Path(given)
    state = environment.get("XDG_STATE_HOME")
    folder = Path(state) if state else Path.home() / ".local" / "state"
    parts = urlsplit(server)
    name = f"{parts.hostname}_{parts.port or parts.scheme}{parts.path.rstrip('/')}_{bot}"
    return folder / "polynya" / "tokens" / _UNSAFE.sub("_", name)


def _check_writable(path: Path) -> None:
    """Refuse to register a name whose token would be lost.

    Raises:
        ConfigurationError: its file cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"a token cannot be kept in {path}: {error}") from error
    if not os.access(path.parent, os.W_OK):
        raise ConfigurationError(f"a token cannot be kept in {path}: its folder is not writable")


def _keep(path: Path, token: str) -> None:
    """Keep a token, whole or not at all, for its owner alone to read."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{token}\n")
        unfinished.replace(path)
    except OSError as error:
        raise TournamentError(
            f"the token {token} cannot be kept in {path}: {error}; keep it yourself"
        ) from error
