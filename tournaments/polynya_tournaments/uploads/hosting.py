"""Hosts uploaded bots: starts each when a match needs it, and ends it when it is idle.

A ladder uses it as the server: it offers the connected bots and those that could be started, and
begins a match when all of its bots are connected, so that no bot's clock pays for a start.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import msgspec
import trio

from polynya_common.errors import RunError
from polynya_common.file_names import file_stems
from polynya_common.reasons import Cause, cause_of
from polynya_contest.config.builtin_bots import BotCommand
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.supervised_process import HostServer, end_of, how_ended
from polynya_protocol.errors import printable
from polynya_protocol.messages import NoticeCode, Software
from polynya_server import ConnectedBot, hash_token, new_token
from polynya_server.changes import Changes
from polynya_server.log import log
from polynya_server.records import MatchRecord, MatchSetup
from polynya_tournaments.ladder.ladder import LadderReferee
from polynya_tournaments.uploads.settings import UploadSettings

PROCESS: Final = 2
"""The number of the process that is started here; a bot that its owner starts is number 1."""


@dataclass(frozen=True, slots=True)
class HostedVersion:
    """A version that can be started.

    Attributes:
        name: the bot's.
        version: of the bot, as its manifest says.
        games: that it plays.
        command: what is started.
        using: a context that it runs in, so that its program is not removed.
    """

    name: str
    version: str
    games: frozenset[str]
    command: BotCommand
    using: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, compare=False)


@dataclass(frozen=True, slots=True)
class AvailableBot:
    """A bot that is not connected and can be started: see :class:`ConnectedBot`."""

    name: str
    games: frozenset[str] | None
    concurrency: int = 1
    in_play: int = 0
    connection: object = None
    software: Software | None = None


class LadderServer(LadderReferee, Protocol):
    """The methods of the server that hosting needs, beside those that a ladder needs."""

    @property
    def stopping(self) -> bool:
        """Whether it plays no new matches any more."""

    def has_process(self, name: str, instance: int = ...) -> bool:
        """Whether this process of a bot is connected."""


@dataclass(eq=False)
class _Process:
    """A process that runs.

    Attributes:
        bot: which version.
        scope: cancelled to end it.
        connected: set when it is there.
        ended: set when it is gone.
        before: the one of another version, which ends before this one is started.
        in_use: whether it has a match, or is started for one.
        idle_since_s: since when it has none.
    """

    bot: HostedVersion
    before: _Process | None = None
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    connected: trio.Event = field(default_factory=trio.Event)
    ended: trio.Event = field(default_factory=trio.Event)
    in_use: bool = True
    idle_since_s: float = 0.0


class UploadHost:
    """Starts uploaded bots for the matches of a ladder.

    Args:
        server: plays the matches.
        hosting: lets the bots in, and says what they run in.
        logs: the folder of their logs.
        limits: how much of the machine they get.
    """

    def __init__(
        self, server: LadderServer, hosting: HostServer, logs: Path, limits: UploadSettings
    ) -> None:
        self._server = server
        self._hosting = hosting
        self._logs = logs
        self._limits = limits
        self._versions: dict[str, HostedVersion] = {}
        self._processes: dict[str, _Process] = {}
        self._tokens: dict[str, str] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._changes = Changes()
        self._freed = Changes()
        self._queue = trio.Lock()
        self._nursery: trio.Nursery | None = None
        self.connected: Mapping[str, ConnectedBot] = _Present(server.connected, self._versions)

    def offer(self, versions: Mapping[str, HostedVersion]) -> None:
        """These versions, by the bots' names, can be started from now on, and no others.

        One of another version that plays goes on until its match has ended.
        """
        changed = {
            name
            for name in versions.keys() | self._versions.keys()
            if versions.get(name) != self._versions.get(name)
        }
        self._versions.clear()
        self._versions.update(versions)
        for name in changed:
            process = self._processes.get(name)
            if process is not None and not process.in_use:
                process.scope.cancel()
            self._tell(name)
        if changed:
            self._changes.notify()

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Host until cancelled; then all processes end. Started when matches may begin."""
        with self._server.watching_bots(self._note):
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._end_idle)
                task_status.started()
                version = None
                while True:
                    version = await self._server.changed(version)
                    if self._server.stopping:
                        self._stop_starting()
                    self._changes.notify()

    def _stop_starting(self) -> None:
        """Wait for no process any more: the server lets no bot in that has no match yet."""
        for process in list(self._processes.values()):
            if not process.connected.is_set():
                process.scope.cancel()
        self._freed.notify()

    # What a ladder asks

    @contextmanager
    def watching_bots(self, changed: Callable[[str], None]) -> Iterator[None]:
        """See :class:`LadderReferee`."""
        self._watchers.append(changed)
        try:
            with self._server.watching_bots(changed):
                for name in self._versions:
                    changed(name)
                yield
        finally:
            self._watchers.remove(changed)

    async def changed(self, since: int | None = None) -> int:
        """See :class:`LadderReferee`."""
        return await self._changes.wait(since)

    def set_notice(
        self, name: str, code: NoticeCode, message: str, match: str | None = None
    ) -> None:
        """See :class:`LadderReferee`."""
        self._server.set_notice(name, code, message, match)

    def clear_notice(self, name: str, message: str = "the notice before no longer holds") -> None:
        """See :class:`LadderReferee`."""
        self._server.clear_notice(name, message)

    async def play(self, setup: MatchSetup) -> MatchRecord:
        """Play a match when its bots have been started; see :class:`LadderReferee`.

        A bot that cannot be started is not ready for its match, like a bot that does not come.
        """
        async with self._started(setup.players) as hosted:
            words = self._hosting.sandbox_words
            sandboxes = tuple(words if name in hosted else None for name in setup.players)
            return await self._server.play(msgspec.structs.replace(setup, sandboxes=sandboxes))

    # Processes

    @asynccontextmanager
    async def _started(self, players: Sequence[str]) -> AsyncIterator[set[str]]:
        """Run the uploaded bots among these until the context exits; yield their names."""
        processes = await self._reserve(players)
        try:
            with trio.move_on_after(self._limits.start_s):
                for process in processes:
                    await _connected_or_ended(process)
            yield {process.bot.name for process in processes}
        finally:
            for process in processes:
                self._release(process)

    async def _reserve(self, players: Sequence[str]) -> list[_Process]:
        """Processes for the uploaded bots among these, all at once, in the order of asking."""
        async with self._queue:
            wanted = [name for name in players if self._is_hosted(name)]
            while self._in_use and self._in_use + len(wanted) > self._limits.processes:
                if self._server.stopping:
                    break
                await self._freed.wait(self._freed.version)
            if self._server.stopping:
                return []  # the match is not played either
            return [self._use(name) for name in wanted]

    @property
    def _in_use(self) -> int:
        return sum(process.in_use for process in self._processes.values())

    def _is_hosted(self, name: str) -> bool:
        """Whether a match of this bot needs a process that is started here."""
        return name in self._versions and not self._server.has_process(name)

    def _use(self, name: str) -> _Process:
        """Return the bot's process; start one if none runs its version."""
        process = self._processes.get(name)
        if process is not None and process.bot == self._versions[name]:
            process.in_use = True
            return process
        if process is not None:
            process.scope.cancel()
        self._make_room()
        process = self._processes[name] = _Process(self._versions[name], before=process)
        if self._nursery is None:
            raise RuntimeError("hosting has not begun: run() runs it")
        self._nursery.start_soon(self._run_process, process)
        return process

    def _make_room(self) -> None:
        """End the process that has been idle for longest, if there are as many as there may be."""
        idle = [process for process in self._processes.values() if not process.in_use]
        if idle and len(self._processes) >= self._limits.processes:
            process = min(idle, key=lambda one: one.idle_since_s)
            del self._processes[process.bot.name]
            process.scope.cancel()

    def _release(self, process: _Process) -> None:
        """Count the end of one of the process's matches."""
        process.in_use = False
        process.idle_since_s = trio.current_time()
        name = process.bot.name
        if self._versions.get(name) != process.bot or self._server.has_process(name):
            process.scope.cancel()
        self._freed.notify()

    async def _run_process(self, process: _Process) -> None:
        """Run one until it ends, or its scope is cancelled."""
        name = process.bot.name
        try:
            with process.scope:
                if process.before is not None:
                    await process.before.ended.wait()
                    process.before = None
                token = self._tokens.setdefault(name, new_token())
                self._hosting.admit(name, hash_token(token), PROCESS, process.bot.version)
                with process.bot.using():
                    await self._attend(process, token)
        finally:
            process.ended.set()
            if self._processes.get(name) is process:
                del self._processes[name]
            self._freed.notify()

    async def _attend(self, process: _Process, token: str) -> None:
        bot = process.bot
        stem = file_stems([bot.name])[bot.name]
        try:
            output = BotLog(self._logs / f"{stem}.log")
        except RunError as error:
            log.warning("an uploaded bot cannot be started", bot=bot.name, error=str(error))
            return
        hosting = self._hosting
        turns: Mapping[str, int] = {}

        def note_turns() -> None:
            nonlocal turns
            turns = hosting.turns(bot.name, PROCESS)

        how: Cause
        watching = hosting.reports.watching(bot.name, PROCESS, hosting.sandbox_words, None)
        try:
            with watching as watch:
                end = await run_bot(
                    bot.name,
                    bot.command,
                    hosting.address.environment(bot.name, token),
                    output,
                    sandbox=hosting.sandbox,
                    listen=hosting.listen(bot.name),
                    on_ended=note_turns,
                    watch=watch,
                )
                how = how_ended(end, turns)
                watch.finish(end_of(end, how, turns))
        except RunError as error:
            how = cause_of(error)
        finally:
            output.close()
        log.info("an uploaded bot has ended", bot=bot.name, how=printable(str(how), 500))

    async def _end_idle(self) -> None:
        """End processes that have been idle for too long."""
        while True:
            await trio.sleep(self._limits.idle_s / 4)
            oldest_s = trio.current_time() - self._limits.idle_s
            for process in self._processes.values():
                if not process.in_use and process.idle_since_s < oldest_s:
                    process.scope.cancel()

    def _note(self, name: str) -> None:
        """A bot has changed on the server."""
        process = self._processes.get(name)
        if process is None:
            return
        if self._server.has_process(name, PROCESS):
            process.connected.set()
        if not process.in_use and self._server.has_process(name):
            process.scope.cancel()  # its owner's own plays now

    def _tell(self, name: str) -> None:
        for watcher in self._watchers:
            watcher(name)


async def _connected_or_ended(process: _Process) -> None:
    async with trio.open_nursery() as nursery:

        async def leave_when(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        nursery.start_soon(leave_when, process.connected)
        nursery.start_soon(leave_when, process.ended)


class _Present(Mapping[str, ConnectedBot]):
    """The connected bots, and the bots that could be started."""

    def __init__(
        self, connected: Mapping[str, ConnectedBot], versions: Mapping[str, HostedVersion]
    ) -> None:
        self._connected = connected
        self._versions = versions

    def __getitem__(self, name: str) -> ConnectedBot:
        found = self._connected.get(name)
        if found is not None:
            return found
        return AvailableBot(name, self._versions[name].games)

    def __iter__(self) -> Iterator[str]:
        yield from self._connected
        yield from (name for name in self._versions if name not in self._connected)

    def __len__(self) -> int:
        return sum(1 for _ in self)
