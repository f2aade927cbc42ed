"""Polls the database for changes by hosts, and applies them to the running server.

Hosts change tokens and suspensions, annul matches and compute ratings again.

The commands, and other servers, write the database and know nothing of this server. It polls the
database every two seconds, and at once when the database tells of a change. The poller acts on
changes since its last poll, not on differences from the server's own state: a bot that registers
between two polls is not forgotten. All bots are gone over in a thread; the loop of the matches sees
only those that have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import trio

from polynya_common.errors import StoreError
from polynya_common.reasons import Cause, Reason
from polynya_contest.conduct import ConductEntry
from polynya_server.log import log
from polynya_store import News, Roster, Store
from polynya_tournaments.ladder.suspensions import Suspensions

POLL_INTERVAL_S = 2.0
_AT_ONCE_S = 0.05
"""Changes within this time are found by one poll."""


class TokenControl(Protocol):
    """The part of the server that controls which bots may connect."""

    def add_token(self, name: str, token_hash: bytes) -> None:
        """Make the token with this SHA-256 the only one of ``name``."""

    def has_token(self, name: str, token_hash: bytes) -> bool:
        """Whether the token with this SHA-256 proves ``name`` already."""

    def remove_token(self, name: str) -> None:
        """Remove the token of ``name``: no bot can connect under this name."""

    def disconnect(self, name: str, why: Cause) -> None:
        """End the bot's connection, and tell it why."""


@dataclass(frozen=True, slots=True)
class Recomputed:
    """Annulled matches, or recomputed ratings.

    Attributes:
        number: of the last intervention that did so.
        known: outcomes of the bots' ladder matches, in the order in which they ended.
    """

    number: int
    known: Sequence[ConductEntry]


@dataclass(frozen=True, slots=True)
class RosterChanges:
    """The changes from one roster to the next.

    Attributes:
        revoked: bots that have a token no more.
        tokens: bots with another token, each with the SHA-256 of its old one, None for a new bot,
            and of its new one.
        suspended: bots that get no matches any more.
        resumed: bots that the host has put back since, and that are not suspended again.
        recomputed: None if all that counted before counts as before.
    """

    revoked: tuple[str, ...]
    tokens: tuple[tuple[str, bytes | None, bytes], ...]
    suspended: tuple[str, ...]
    resumed: tuple[str, ...]
    recomputed: Recomputed | None = None

    @classmethod
    def between(
        cls, before: Roster, found: Roster, recomputed: Recomputed | None = None
    ) -> RosterChanges:
        """The changes from one roster to the next."""
        old, new = before.token_hashes, found.token_hashes
        # Not before.suspended - found.suspended: a bot suspended between two polls is in neither.
        put_back = (name for name, _ in found.resumed_ms.items() - before.resumed_ms.items())
        return cls(
            revoked=tuple(old.keys() - new.keys()),
            tokens=tuple((name, old.get(name), one) for name, one in new.items() - old.items()),
            suspended=tuple(found.suspended - before.suspended),
            resumed=tuple(name for name in put_back if name not in found.suspended),
            recomputed=recomputed,
        )


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
        self._news: News | None = None

    async def run(self) -> None:
        """Poll until cancelled."""
        try:
            await self._run()
        finally:
            self._close_news()

    async def _run(self) -> None:
        readable = True
        while True:
            with trio.move_on_after(POLL_INTERVAL_S):
                await self._hear()
            try:
                changes = await trio.to_thread.run_sync(self.look)
            except StoreError as error:
                if readable:
                    log.warning("changes of bots are not seen for now", error=str(error))
                readable = False
                continue
            readable = True
            self.act(changes)

    async def _hear(self) -> None:
        """Return when the database notifies of a change, or a notification may be lost."""
        if self._news is None:
            await self._listen()
            return
        await trio.lowlevel.wait_readable(self._news.fileno())
        try:
            self._news.take()
        except StoreError:
            self._close_news()
            return
        await trio.sleep(_AT_ONCE_S)

    async def _listen(self) -> None:
        """Start listening for changes."""
        try:
            self._news = await trio.to_thread.run_sync(self._store.listen)
        except StoreError:
            self._news = None
        if self._news is None:
            await trio.sleep_forever()

    def _close_news(self) -> None:
        if self._news is not None:
            self._news.close()
            self._news = None

    def look(self) -> RosterChanges:
        """The changes since the last poll.

        Raises:
            StoreError: the database cannot be read; the next look finds the changes.
        """
        before, found = self._seen, self._store.bots.roster()
        recomputed = self._look_for_recomputed()
        self._seen = found
        return RosterChanges.between(before, found, recomputed)

    def _look_for_recomputed(self) -> Recomputed | None:
        number = self._store.interventions.last_recomputed()
        if number == self._suspensions.recomputed:
            return None
        self._suspensions.begin_reading()
        return Recomputed(number, self._store.ladder.outcomes())

    def act(self, changes: RosterChanges) -> None:
        """Apply the changes to the server and the ladder."""
        if changes.recomputed is not None:
            log.info("matches were annulled or ratings computed again: the ladder follows")
            self._suspensions.replace(changes.recomputed.known, changes.recomputed.number)
        for name in changes.revoked:
            log.info("a bot's token was revoked", bot=name)
            self._server.remove_token(name)
            self._server.disconnect(name, Reason.of("token_revoked", bot=name))
        for name, old, new in changes.tokens:
            self._replace(name, old, new)
        for name in changes.suspended:
            if name not in self._suspensions.names:  # else the ladder did, and has said why
                log.info("a bot is suspended by the host", bot=name)
                self._suspensions.suspend(name)
        for name in changes.resumed:
            log.info("a bot is reinstated", bot=name)
            self._suspensions.resume(name)
            self._on_resume()

    def _replace(self, name: str, old: bytes | None, new: bytes) -> None:
        # The server itself records a new token when the `welcome` of a new bot was lost.
        if self._server.has_token(name, new):
            return
        self._server.add_token(name, new)
        if old is not None:
            log.info("a bot's token was replaced", bot=name)
            self._server.disconnect(name, Reason.of("token_replaced", bot=name))
