"""Runs the tournaments that a host starts on a standing server, beside its ladder.

A host can start the descriptions (TOML) in a folder. Each tournament has a game server and port of
its own, and records into the ladder's database. A failed tournament is reported in a sentence, and
does not affect the others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import trio

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_checks import check_for_play, load_configuration
from polynya_contest.config.tournament_configuration import (
    TournamentConfiguration,
    schedule_inputs_text,
)
from polynya_foreign.rules_box import box_rules
from polynya_protocol.errors import printable
from polynya_server import Server
from polynya_server.log import log
from polynya_store import Store, StoreJournal, tournament_claim
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import (
    Companion,
    OpenRemote,
    RunOptions,
    no_companion,
    run_tournament,
)

Prepare = Callable[[TournamentConfiguration], TournamentConfiguration]
"""Completes a checked description, for example with the commands of uploaded bots."""

OpensWorkers = Callable[[TournamentConfiguration], OpenRemote | None]
"""Opens the workers that a description names; raises an error with a sentence if it cannot."""


@dataclass(eq=False, slots=True)
class RunningTournament:
    """A tournament that is being played.

    Attributes:
        name: the tournament's.
        switch: pauses it.
        stop: ends it in order: the matches in play may finish.
        over: set when it has ended.
        server: plays its matches; None before it is opened and after it is closed.
    """

    name: str
    switch: PauseSwitch = field(default_factory=PauseSwitch)
    stop: trio.Event = field(default_factory=trio.Event)
    over: trio.Event = field(default_factory=trio.Event)
    server: Server | None = None

    @asynccontextmanager
    async def shown(self, server: Server, _journal: StoreJournal) -> AsyncIterator[None]:
        """Show its game server to the pages until the context exits."""
        self.server = server
        try:
            yield
        finally:
            self.server = None


@dataclass(frozen=True, slots=True)
class TournamentFile:
    """A description in the folder.

    Attributes:
        file: its name in the folder.
        name: the tournament's; None if the description is invalid.
        problem: a sentence that says what is wrong.
        complete: whether all of it has been played, so that it cannot be resumed.
    """

    file: str
    name: str | None
    problem: str | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class ManagerSettings:
    """Settings of a server's tournaments.

    Attributes:
        folder: the folder of descriptions; None for none.
        grace_ms: how long matches continue when a tournament is stopped.
        sandbox: the sandbox of bots if a description says ``none``; default: no sandbox.
        prepare: completes each checked description.
        opens_workers: opens the workers that a description names, None if it names none.
        follower: lets each tournament's server follow the tokens that hosts change.
    """

    folder: Path | None = None
    grace_ms: int = 5_000
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    prepare: Prepare = lambda configuration: configuration
    opens_workers: OpensWorkers = lambda _configuration: None
    follower: Callable[[Store], Companion] = lambda _store: no_companion


class TournamentManager:
    """The tournaments of one server; made by :func:`open_tournament_manager`.

    Attributes:
        running: the tournaments being played, by name.
        outcomes: by name the reason why a tournament ended.
    """

    def __init__(
        self,
        settings: ManagerSettings,
        store: Store,
        reporter: Reporter,
        nursery: trio.Nursery,
    ) -> None:
        self._settings = settings
        self.running: dict[str, RunningTournament] = {}
        self.outcomes: dict[str, Cause] = {}
        self._store = store
        self._reporter = reporter
        self._nursery = nursery
        self._complete: set[str] = set()

    @property
    def servers(self) -> list[Server]:
        """The game servers of running tournaments."""
        return [one.server for one in self.running.values() if one.server is not None]

    def files(self) -> list[TournamentFile]:
        """The files in the folder, by file name.

        It reads files and the database: call it in a thread.
        """
        if self._settings.folder is None:
            return []
        return [self._describe(path) for path in sorted(self._settings.folder.glob("*.toml"))]

    def _describe(self, path: Path) -> TournamentFile:
        try:
            found = self._load(path)
            return TournamentFile(path.name, found.name, complete=self._is_complete(found))
        except TournamentError as error:
            return TournamentFile(path.name, None, str(error))

    def _load(self, path: Path) -> TournamentConfiguration:
        found = load_configuration(path, lambda read: box_rules(read.game, self._sandbox(read)))
        configuration = msgspec.structs.replace(
            found, database=str(self._store.address), sandbox=self._sandbox(found)
        )
        check_for_play(configuration)
        return self._settings.prepare(configuration)

    def _sandbox(self, described: TournamentConfiguration) -> SandboxSettings:
        own = described.sandbox
        return self._settings.sandbox if own.driver == "none" else own

    def _is_complete(self, found: TournamentConfiguration) -> bool:
        """Whether all of a tournament has been played; a complete tournament stays complete.

        Raises:
            StoreError: the database holds another tournament of this name.
        """
        name = found.name
        if not self._store.tournaments.is_planned(
            name, schedule_inputs_text(found), found.late_entry
        ):
            return False
        if name not in self._complete and self._store.tournaments.is_complete(name):
            self._complete.add(name)
        return name in self._complete

    async def start(self, file: str, *, play_held: bool = False) -> str:
        """Start or resume the tournament of a file; return its name.

        With ``play_held`` matches are played, too, that wait because the rules failed.

        Raises:
            ConfigurationError: there is no such file, or it is not a description.
            TournamentError: it is being played already, or complete, or the database holds
                another one of this name.
        """
        found = await trio.to_thread.run_sync(self._find, file)
        if await trio.to_thread.run_sync(self._is_complete, found):
            raise TournamentError(
                Reason.of("already_complete", name=found.name, file=printable(file))
            )
        if found.name in self.running:
            raise TournamentError(Reason.of("already_playing", name=found.name))
        running = self.running[found.name] = RunningTournament(found.name)
        self.outcomes.pop(found.name, None)
        self._nursery.start_soon(self._play, found, running, play_held)
        return found.name

    def _find(self, file: str) -> TournamentConfiguration:
        """Find a description by file name; only files of the folder are opened."""
        paths = [] if self._settings.folder is None else self._settings.folder.glob("*.toml")
        for path in paths:
            if path.name == file:
                return self._load(path)
        raise ConfigurationError(Reason.of("no_description", file=printable(file)))

    async def _play(
        self,
        configuration: TournamentConfiguration,
        running: RunningTournament,
        play_held: bool,
    ) -> None:
        name = configuration.name
        try:
            outcome = await self._outcome(configuration, running, play_held=play_held)
            self.outcomes[name] = outcome
            log.info("a tournament is over", tournament=name, outcome=str(outcome))
        finally:
            del self.running[name]
            running.over.set()

    async def _outcome(
        self,
        configuration: TournamentConfiguration,
        running: RunningTournament,
        *,
        play_held: bool,
    ) -> Cause:
        """Play a tournament; return its outcome."""
        try:
            async with self._claimed(configuration.name):
                options = RunOptions(
                    stop=running.stop,
                    grace_ms=self._settings.grace_ms,
                    play_held=play_held,
                    switch=running.switch,
                    companion=running.shown,
                    follower=self._settings.follower(self._store),
                    remote=self._settings.opens_workers(configuration),
                )
                standings = await run_tournament(
                    configuration, self._store, self._reporter, options
                )
        except TournamentError as error:
            return cause_of(error)
        except Exception as error:  # a failed tournament must not end the server
            log.exception("a tournament failed", tournament=configuration.name)
            return Reason.of("ended_by_error", error=printable(repr(error)))
        how = Reason.of("complete") if standings.complete else Reason.of("ended_early")
        return Reason.of("all_of", reasons=[how, *standings.unplayed])

    @asynccontextmanager
    async def _claimed(self, name: str) -> AsyncIterator[None]:
        """Keep other servers on the same database from playing the tournament."""
        claiming = self._store.claiming(tournament_claim(name))
        await trio.to_thread.run_sync(claiming.__enter__)
        try:
            yield
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(claiming.__exit__, None, None, None)

    async def end(self) -> None:
        """Stop all tournaments in order; return when they have ended."""
        running = list(self.running.values())
        for one in running:
            one.stop.set()
        for one in running:
            await one.over.wait()


@asynccontextmanager
async def open_tournament_manager(
    settings: ManagerSettings, store: Store, reporter: Reporter | None = None
) -> AsyncIterator[TournamentManager]:
    """Open a manager; running tournaments end at once when the context exits.

    Args:
        settings: the folder of descriptions, and how to play them.
        store: opened ``for_play``.
        reporter: receives the events of all tournaments.
    """
    async with trio.open_nursery() as nursery:
        yield TournamentManager(settings, store, reporter or Reporter(), nursery)
        nursery.cancel_scope.cancel()
