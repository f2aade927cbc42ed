"""The freeze: from the time `closes` on, each bot must play with the software that it had then.

A hosted bot is identified by its command and the files that the command names, an uploaded bot by
its version, and an external bot by the software that it declares; if it has declared none, its
first declaration counts. A bot without a token when submissions closed does not take part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import trio

from polynya_common.reasons import Reason
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.bot_process import command_of
from polynya_protocol.messages import Software
from polynya_server import ConnectedBot, Server
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Store, StoreJournal
from polynya_tournaments.tournament.progress_events import Reporter

CLOCK_INTERVAL_S = 60
"""Interval of checks of the wall clock, which a host may set."""


_OURS = ("PATH", "PYTHONPATH")
"""Environment variables that an uploaded bot gets from this machine."""


def submissions_closed(configuration: TournamentConfiguration) -> bool:
    """Whether submissions are closed."""
    closes = configuration.closes
    return closes is not None and datetime.now(UTC) >= closes


async def wait_until_closed(
    configuration: TournamentConfiguration, stop: trio.Event, reporter: Reporter
) -> None:
    """Return when submissions are closed, or when asked to stop; at once if they never close."""
    closes = configuration.closes
    if closes is None:
        return
    if not submissions_closed(configuration):
        reporter.warning(f"submissions close at {closes}; matches begin then")
    while not submissions_closed(configuration) and not stop.is_set():
        left_s = (closes - datetime.now(UTC)).total_seconds()
        with trio.move_on_after(max(0, min(left_s, CLOCK_INTERVAL_S))):
            await stop.wait()


def changed_since_closed(configuration: TournamentConfiguration, store: Store) -> dict[str, str]:
    """List the hosted bots that changed since submissions closed, in a sentence each."""
    submitted = store.tournaments.submissions(configuration.name)
    return {
        bot.name: (
            f"bot {bot.name}: its command or a file of it has changed since submissions closed at "
            f"{configuration.closes}; restore the earlier program, or withdraw the bot"
        )
        for bot in configuration.bots
        if not bot.external and not bot.withdrawn
        if submitted.get(bot.name) not in (None, fingerprint(bot))
    }


def fingerprint(bot: BotConfiguration) -> str:
    """Fingerprint of a hosted bot's software: command, environment, SHA-256 of its files.

    An uploaded version never changes, wherever it is built.
    """
    if bot.upload is not None:
        environment = {key: bot.environment[key] for key in bot.environment if key not in _OURS}
        return _text({"upload": bot.upload, "environment": environment})
    words = command_of(bot).words
    found: dict[str, Any] = {
        "words": [bot.builtin] if bot.builtin else words,
        "environment": bot.environment,
        "files": [
            hashlib.sha256(file.read_bytes()).hexdigest()
            for word in words
            if (file := Path(bot.directory or ".") / word).is_file()
        ],
    }
    return _text(found)


def _text(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


class FrozenField:
    """The field of a frozen tournament: hides bots that run other software.

    Args:
        configuration: of the tournament.
        journal: keeps what was submitted.
        server: the server itself.
        reporter: receives the disconnected bots.
    """

    def __init__(
        self,
        configuration: TournamentConfiguration,
        journal: StoreJournal,
        server: Server,
        reporter: Reporter,
    ) -> None:
        self._configuration = configuration
        self._journal = journal
        self._server = server
        self._reporter = reporter
        self._external = [bot.name for bot in configuration.bots if bot.external]
        self._submitted: Mapping[str, str | None] | None = None
        self._checked_at: int | None = None
        self._told: set[tuple[str, Reason]] = set()

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The connected bots that may play, by name."""
        return {name: bot for name, bot in self._server.connected.items() if self._may(name, bot)}

    async def changed(self, since: int | None = None) -> int:
        """Wait until bots came, went or became free; ``since`` is the last check without it."""
        self._checked_at = await self._server.changed(self._checked_at if since is None else since)
        version = self._checked_at  # a bot may connect while one is recorded
        await self._check()
        return version

    async def play(self, setup: MatchSetup) -> MatchRecord:
        """See :class:`~polynya_server.Server`."""
        return await self._server.play(setup)

    async def close(self) -> None:
        """Close submissions: record each bot's software, unless an earlier run did."""
        self._checked_at = self._server.version
        registered = self._journal.token_hashes()
        present: dict[str, str | None] = {}
        for bot in self._configuration.bots:
            if not bot.external:
                present[bot.name] = fingerprint(bot)
            elif bot.name in registered:
                there = self._server.connected.get(bot.name)
                present[bot.name] = None if there is None else _text(there.software)
        self._submitted = await self._journal.submit(self._configuration.name, present)
        await self._check()

    def _may(self, name: str, bot: ConnectedBot) -> bool:
        if self._submitted is None or name not in self._external:
            return True
        return self._submitted.get(name) == _text(bot.software)

    async def _check(self) -> None:
        """Record the first declaration of a bot; disconnect bots that declare another one."""
        if self._submitted is None:
            return
        for name, bot in list(self._server.connected.items()):
            if name not in self._external:
                continue
            if name in self._submitted and self._submitted[name] is None:
                self._submitted = await self._journal.submit(
                    self._configuration.name, {name: _text(bot.software)}
                )
            elif not self._may(name, bot):
                self._disconnect(name, bot.software)

    def _disconnect(self, name: str, software: Software | None) -> None:
        submitted = (self._submitted or {}).get(name)
        if submitted is None:
            why = Reason.of("not_registered_at_close", bot=name)
        else:
            known = msgspec.json.decode(submitted, type=Software | None)
            why = Reason.of(
                "plays_with_older_software",
                moment=str(self._configuration.closes),
                bot=name,
                now=_shown(known),
                before=_shown(software),
            )
        self._server.disconnect(name, why)
        if (name, why) not in self._told:
            self._told.add((name, why))
            self._reporter.warning(str(why))


def _shown(software: Software | None) -> str:
    words = [software.name, software.version] if software is not None else []
    return " ".join(filter(None, words)) or "undeclared software"
