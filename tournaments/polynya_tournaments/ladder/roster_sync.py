"""Polls the database for changes of tokens and suspensions, and passes them to the running server.

The commands write the database and know nothing of the server, which polls it every two seconds.
The poller acts on changes since its last poll, not on differences from the server's own state: a
bot that registers between two polls is not forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import trio

from polynya_server.log import log
from polynya_tournaments.errors import StoreError
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.store import Roster, Store

POLL_INTERVAL_S = 2.0


class TokenControl(Protocol):
    """The part of the server that controls which bots may connect."""

    def add_token(self, name: str, token_hash: bytes) -> None:
        """Let the bot that shows the token with this SHA-256 be ``name``, and no other."""

    def has_token(self, name: str, token_hash: bytes) -> bool:
        """Whether the token with this SHA-256 proves ``name`` already."""

    def remove_token(self, name: str) -> None:
        """Forget the token of ``name``: no bot can connect under this name."""

    def disconnect(self, name: str, sentence: str) -> None:
        """End the bot's connection, and tell it why."""


class RosterPoller:
    """Compares the roster in the database with the one of the last poll.

    Args:
        store: the database.
        server: whose tokens follow it.
        suspensions: the ladder's, which follow it too.
        on_resume: called when a bot may play again.
        seen: how it stood before the server read its tokens, and ``suspensions`` were read: what
            has changed since then is found at the first look. Without it, it is read now.
    """

    def __init__(
        self,
        store: Store,
        server: TokenControl,
        suspensions: Suspensions,
        on_resume: Callable[[], None] = lambda: None,
        seen: Roster | None = None,
    ) -> None:
        self._store = store
        self._server = server
        self._suspensions = suspensions
        self._on_resume = on_resume
        self._seen = store.bots.roster() if seen is None else seen

    async def run(self) -> None:
        """Poll until cancelled."""
        readable = True
        while True:
            await trio.sleep(POLL_INTERVAL_S)
            try:
                found = await trio.to_thread.run_sync(self._store.bots.roster)
            except StoreError as error:
                if readable:
                    log.warning("changes of bots are not seen for now", error=str(error))
                readable = False
                continue
            readable = True
            self.note(found)

    def note(self, found: Roster) -> None:
        """Act on the changes since the last poll."""
        before, self._seen = self._seen, found
        for name in before.token_hashes.keys() - found.token_hashes.keys():
            log.info("a bot's token was revoked", bot=name)
            self._server.remove_token(name)
            self._server.disconnect(name, f"the token of {name} was revoked by the host")
        for name, token_hash in found.token_hashes.items():
            self._replace(name, before.token_hashes.get(name), token_hash)
        for name in found.suspended - before.suspended:
            if name not in self._suspensions.names:  # else the ladder did, and has said why
                log.info("a bot is suspended by the host", bot=name)
                self._suspensions.suspend(name)
        # Not before.suspended - found.suspended: a bot suspended between two polls is in neither.
        for name in _resumed(before, found):
            log.info("a bot is put back", bot=name)
            self._suspensions.resume(name)
            self._on_resume()

    def _replace(self, name: str, old: bytes | None, new: bytes) -> None:
        # The server itself records a new token when the `welcome` of a new bot was lost.
        if new == old or self._server.has_token(name, new):
            return
        self._server.add_token(name, new)
        if old is not None:
            log.info("a bot's token was replaced", bot=name)
            self._server.disconnect(name, f"the token of {name} was replaced by the host")


def _resumed(before: Roster, found: Roster) -> list[str]:
    """The bots that the host has reinstated since, and that are not suspended again."""
    return [
        name
        for name, resumed_ms in found.resumed_ms.items()
        if resumed_ms != before.resumed_ms.get(name) and name not in found.suspended
    ]
