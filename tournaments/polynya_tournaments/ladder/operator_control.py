"""Lets the operator control a running server through its pages, protected by a token."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from polynya_common.errors import ConfigurationError
from polynya_server import hash_token, new_token
from polynya_store import Store
from polynya_store.tournaments.held_matches import FailedMatch
from polynya_tournaments.tournament.manager import TournamentManager
from polynya_tournaments.tournament.pause import PauseSwitch

LEAST_TOKEN = 20
"""Minimum length of a token that cannot be guessed."""


@dataclass(frozen=True, slots=True)
class OperatorControl:
    """The parts of a server that the operator controls.

    Attributes:
        token_hash: SHA-256 of the token that opens the pages.
        tournaments: the tournaments beside the ladder; None where none can be started.
        ladder: pauses the ladder; None without one.
        settings: what the server was started with, by name; no secrets.
        failures: the last matches of the ladder in which the rules of the game failed.
    """

    token_hash: bytes
    tournaments: TournamentManager | None = None
    ladder: PauseSwitch | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    failures: Collection[FailedMatch] = ()


@dataclass(frozen=True, slots=True)
class OperatorKey:
    """The key of the operator's pages.

    Attributes:
        token_hash: SHA-256 of the token.
        made: the token if it is new: until it is handed over it is kept nowhere else.
    """

    token_hash: bytes
    made: str | None = None

    def hand_over(self, store: Store, tell: Callable[[str], None]) -> None:
        """Store a new token's hash, and show the token once.

        Args:
            store: where it is kept; opened ``for_play``.
            tell: is told the token, if it is new.
        """
        if self.made is not None and store.operator.claim(self.token_hash):
            tell(self.made)


def operator_key(store: Store, file: Path | None) -> OperatorKey:
    """The key of the operator's pages of a server; a new token where none is known.

    Args:
        store: where the hash of the token is kept.
        file: holds the token, which then is not kept; None to use the kept token.

    Raises:
        ConfigurationError: the file cannot be read, or what it holds is no good token.
    """
    if file is not None:
        return OperatorKey(hash_token(_read(file)))
    kept = store.operator.token_hash()
    if kept is not None:
        return OperatorKey(kept)
    token = new_token()
    return OperatorKey(hash_token(token), token)


def _read(file: Path) -> str:
    try:
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ConfigurationError(f"the operator's token cannot be read: {file}: {why}") from error
    if not re.fullmatch(rf"[!-~]{{{LEAST_TOKEN},200}}", token):
        raise ConfigurationError(
            f"the operator's token in {file} must be one word of {LEAST_TOKEN} to 200 letters, "
            "digits and signs; 'openssl rand -base64 32' makes one"
        )
    return token
