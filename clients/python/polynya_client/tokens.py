"""Where a bot's token is kept from one start to the next: a file that only its owner may read.

``POLYNYA_TOKEN_FILE`` names it; otherwise it is in the user's state folder (XDG base directories),
one file for each server and name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from polynya_client.errors import BadSettings

_OWNER_ONLY = 0o600
_OWNERS_FOLDER = 0o700
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


def token_path(host: str, port: int, name: str, environment: Mapping[str, str]) -> Path:
    """The file for a bot's token on a server."""
    given = environment.get("POLYNYA_TOKEN_FILE")
    if given:
        return Path(given)
    state = environment.get("XDG_STATE_HOME")
    folder = Path(state) if state else Path.home() / ".local" / "state"
    return folder / "polynya" / "tokens" / _UNSAFE.sub("_", f"{host}_{port}_{name}")


def read_token(path: Path) -> str | None:
    """The token in a file, None if there is none yet.

    Raises:
        BadSettings: there is a file that cannot be read.
    """
    try:
        return path.read_text("utf-8-sig").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise BadSettings(f"the token in {path} cannot be read: {error}") from error


def keep_token(path: Path, token: str) -> None:
    """Keep a token, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(mode=_OWNERS_FOLDER, parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{token}\n")
    unfinished.replace(path)
