"""Runs a tournament, resumably: brings rounds, server and hosted bots together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import trio

from polynya_common.errors import StoreError, unwrap_single_error
from polynya_common.reasons import Cause
from polynya_contest.config.bot_names import KnownNames
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.standings import Standings
from polynya_foreign.rules_box import box_rules
from polynya_hosting.bots.cores import cores_of, usable_cores
from polynya_hosting.bots.process_reports import ProcessReports
from polynya_hosting.bots.sandboxed_bots import usable_sandbox
from polynya_hosting.bots.supervised_process import HostServer
from polynya_hosting.bots.supervisor import core_of, possible_at_once, requested_at_once
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.no_sandbox import NO_SANDBOX
from polynya_hosting.sandbox.selection import words_of
from polynya_server import Farewell, Server
from polynya_server.sessions.tokens import hash_token, new_token
from polynya_store import Store, StoreJournal, open_journal
from polynya_tournaments.cancellation import cancelled_by
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.freeze import (
    FrozenField,
    changed_since_closed,
    submissions_closed,
    wait_until_closed,
)
from polynya_tournaments.tournament.game_server import listening
from polynya_tournaments.tournament.hosted_blocks import (
    BlockPlayers,
    BotSeed,
    HostedBlocks,
    HostedRun,
)
from polynya_tournaments.tournament.notices import UnknownBots
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.scheduler import Scheduler
from polynya_tournaments.tournament.status import milliseconds

__all__ = ["Reporter", "RunOptions", "run_tournament"]

_ABORT_S = 5
"""Time limit for aborting and recording matches after an error."""

_BROKEN_OFF = "an error ended the tournament"

Companion = Callable[[Server, StoreJournal], AbstractAsyncContextManager[object]]
"""Opens a context that covers the time a server plays."""


OpenRemote = Callable[
    [HostedRun, StoreJournal, Reporter], AbstractAsyncContextManager[BlockPlayers]
]
"""Opens workers for the bots of a run; see ``polynya_tournaments.distribution.remote_blocks``."""


def no_companion(_server: Server, _journal: StoreJournal) -> AbstractAsyncContextManager[object]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run, besides the description.

    Attributes:
        stop: when set, no new matches are begun, and those in play finish or are aborted within
            ``grace_ms``; the table is then incomplete.
        grace_ms: see ``stop``.
        play_held: whether matches are played, too, that wait because the rules of the game failed.
        keep_logs: whether the output of hosted bots is written to the folder of the logs.
        switch: pauses it: no new matches begin until it is resumed.
        companion: opened for as long as the server, such as web pages.
        follower: the same; lets the server follow the tokens that hosts change.
        remote: opens workers that play the matches of hosted bots; without it they are played here.
    """

    stop: trio.Event = field(default_factory=trio.Event)
    grace_ms: int = 5_000
    play_held: bool = False
    keep_logs: bool = True
    switch: PauseSwitch | None = None
    companion: Companion = no_companion
    follower: Companion = no_companion
    remote: OpenRemote | None = None


async def run_tournament(
    configuration: TournamentConfiguration,
    store: Store,
    reporter: Reporter | None = None,
    options: RunOptions | None = None,
) -> Standings:
    """Play all matches that have no result yet, and return the table.

    A match begins as soon as its bots are present; external bots may come and go. An aborted match
    is played again, ``attempts`` times in all; an annulled match is played again when its players
    have rested (see :mod:`~polynya_tournaments.tournament.backoff`). A hosted bot that ends by
    itself is restarted, ``restarts`` times; after that, or after three matches in a row that it was
    not ready for, its remaining matches are walkovers for the opponents that are present; with
    ``absent = "open"`` they are given up, and the next run retries them. When the rules of the game
    fail in a match, it and all others of its bots wait, in later runs too, for ``play_held``.

    Args:
        configuration: the checked description.
        store: opened ``for_play``; the same description continues what it holds.
        reporter: receives its events.
        options: its end, and other options of the run.

    Raises:
        ConfigurationError: a bot cannot be started in the sandbox that is configured.
        RunError: it cannot listen, or a log cannot be written. All played matches are recorded.
        StoreError: the database cannot be written, or it holds a tournament of this name with
            another description.
    """
    run = _Run(configuration, store, reporter or Reporter(), options or RunOptions())
    with unwrap_single_error():
        await run.play()
    return store.tournaments.standings(configuration.name)


@asynccontextmanager
async def _matches_end_before_their_bots(server: Server) -> AsyncIterator[None]:
    """Abort matches in play when an error ends the context.

    The bots' processes end after that. A bot that says goodbye in a match forfeits it, and an error
    of the server must cost no bot a match.
    """
    try:
        yield
    except BaseException:
        with trio.move_on_after(_ABORT_S, shield=True):
            await server.stop(0)
        raise


class _Run:
    """One call of ``run_tournament``."""

    def __init__(
        self,
        configuration: TournamentConfiguration,
        store: Store,
        reporter: Reporter,
        options: RunOptions,
    ) -> None:
        self._configuration = configuration
        self._store = store
        self._reporter = reporter
        self._options = options
        self._hosted: list[BotConfiguration] = []
        self._set_aside: Callable[[str, Cause], None] = lambda _name, _why: None
        self._changed: Mapping[str, str] = {}
        self._sandbox: Sandbox = NO_SANDBOX

    async def play(self) -> None:
        """Play from the draw to the last match."""
        box_rules(self._configuration.game, self._configuration.sandbox)
        if self._options.remote is None:  # else each worker does it
            self._sandbox = await usable_sandbox(self._configuration)
        async with open_journal(self._store, self._reporter.warning) as journal:
            self._check_names()
            rounds = RoundDrawer(self._configuration, journal, self._reporter)
            left = await rounds.begin(play_held=self._options.play_held)
            self._freeze()
            self._note_uploads()
            self._note_logs()
            if not left:
                return
            if self._options.remote is None:
                self._say_possible()
            try:
                await self._play_left(journal, rounds)
            except Exception:
                # The server is closed, but the process may go on: a standing server's does.
                with suppress(StoreError):
                    await journal.void_tournament(rounds.tournament_id, _BROKEN_OFF)
                raise

    async def _play_left(self, journal: StoreJournal, rounds: RoundDrawer) -> None:
        async with (
            self._server(journal) as server,
            self._options.follower(server, journal),
            self._options.companion(server, journal),
        ):
            frozen = FrozenField(self._configuration, journal, server, self._reporter)
            async with (
                trio.open_nursery() as nursery,
                self._blocks(server, frozen, journal, nursery, rounds.secret.bot_seed) as blocks,
            ):
                scheduler = self._scheduler(journal, rounds, blocks)
                self._set_aside = scheduler.set_aside
                nursery.start_soon(self._stop_when_asked, server, scheduler, journal, blocks)
                nursery.start_soon(UnknownBots(self._configuration, server, self._reporter).watch)
                await self._play_on(server, journal, frozen, scheduler, blocks)
                nursery.cancel_scope.cancel()

    def _scheduler(
        self, journal: StoreJournal, rounds: RoundDrawer, blocks: BlockPlayers
    ) -> Scheduler:
        return Scheduler(
            self._configuration,
            rounds,
            blocks,
            journal,
            self._reporter,
            switch=self._options.switch,
            sandbox=self._sandbox_words(),
        )

    @asynccontextmanager
    async def _blocks(
        self,
        server: Server,
        frozen: FrozenField,
        journal: StoreJournal,
        nursery: trio.Nursery,
        bot_seed: BotSeed,
    ) -> AsyncIterator[BlockPlayers]:
        run = HostedRun(
            self._configuration,
            self._hosted,
            bot_seed,
            self._reporter.warning,
            lambda name, why: self._set_aside(name, why),
            self._options.stop,
            self._options.grace_ms / 1000,
            self._reporter.bot_failed,
        )
        if self._options.remote is None:
            write = journal.note_processes if self._store.durable else None
            reports = ProcessReports(
                server.turns_of, write, self._reporter.warning, self._reporter.forfeits
            )
            async with reports.keeping(journal.watching_records):
                yield self._hosted_blocks(run, server, frozen, nursery, reports)
            return
        async with self._options.remote(run, journal, self._reporter) as blocks:
            yield blocks

    def _hosted_blocks(
        self,
        run: HostedRun,
        server: Server,
        frozen: FrozenField,
        nursery: trio.Nursery,
        reports: ProcessReports,
    ) -> HostedBlocks:
        hosting = HostServer.of(server, self._sandbox, self._sandbox_words(), reports)
        keep_logs = self._options.keep_logs
        return HostedBlocks(run, frozen, server, hosting, nursery, keep_logs=keep_logs)

    def _sandbox_words(self) -> str:
        """The sandbox of the hosted bots, in words."""
        configuration = self._configuration
        cores = (core_of(configuration, bot.name, 1) for bot in self._hosted)
        pinned = any(core is not None for core in cores)
        return words_of(self._sandbox, configuration.sandbox.limits, pinned=pinned)

    def _check_names(self) -> None:
        """Refuse invalid names of new bots."""
        known = KnownNames(row.name for row in self._store.bots.all())
        for number, bot in enumerate(self._configuration.bots):
            known.add(bot.name, f"bots[{number}].name: ")

    def _freeze(self) -> None:
        """Record when submissions close and results are shown."""
        configuration = self._configuration
        self._store.tournaments.hide_results(
            configuration.name,
            milliseconds(configuration.results_from),
            milliseconds(configuration.freezes),
        )
        self._store.tournaments.set_reveal(configuration.name, configuration.reveal)
        self._store.tournaments.set_closes(configuration.name, milliseconds(configuration.closes))
        if submissions_closed(configuration):
            self._changed = changed_since_closed(configuration, self._store)
        for why in self._changed.values():
            self._reporter.warning(why)
        self._hosted = [
            bot
            for bot in configuration.bots
            if not bot.external and not bot.withdrawn and bot.name not in self._changed
        ]

    def _note_uploads(self) -> None:
        """Record the uploaded versions that the tournament uses, so that they are kept."""
        uploads = self._store.uploads
        labels = [bot.upload.partition("@") for bot in self._configuration.bots if bot.upload]
        numbers = [uploads.accepted(name, version).number for name, _, version in labels]
        uploads.note_tournament(self._configuration.name, numbers)

    def _note_logs(self) -> None:
        """Record the folder of logs for the bots' owners."""
        logs = self._configuration.logs
        if self._options.keep_logs and self._options.remote is None:
            self._store.tournaments.set_logs(
                self._configuration.name, None if logs is None else Path(logs).resolve()
            )

    @asynccontextmanager
    async def _server(self, journal: StoreJournal) -> AsyncIterator[Server]:
        configuration = self._configuration
        known = journal.token_hashes()
        for bot in configuration.bots:
            if bot.external and bot.name not in known and not configuration.open_registration:
                token = new_token()
                self._store.bots.set_token(bot.name, hash_token(token))
                self._reporter.token_created(bot.name, token)
        settings = msgspec.structs.replace(
            configuration.server,
            host=configuration.host,
            port=configuration.port,
            open_registration=configuration.open_registration
            and not submissions_closed(configuration),
        )
        played = self._configuration
        async with listening(settings, journal, played.game, played.players, played.name) as server:
            hidden_until_ms = milliseconds(played.results_from)
            if hidden_until_ms is not None:
                server.hide_matches(milliseconds(played.freezes) or 0, hidden_until_ms)
            if played.duplicate:
                server.hide_all_matches()
            if self._options.remote is None:  # else no bot connects here
                self._reporter.listening(server.host, server.port)
            yield server

    async def _play_on(
        self,
        server: Server,
        journal: StoreJournal,
        frozen: FrozenField,
        scheduler: Scheduler,
        blocks: BlockPlayers,
    ) -> None:
        for name, why in self._changed.items():
            scheduler.set_aside(name, why)
        async with _matches_end_before_their_bots(server):
            await wait_until_closed(self._configuration, self._options.stop, self._reporter)
            if self._options.stop.is_set():
                scheduler.stop()
            elif self._configuration.closes is not None:
                server.close_registration()
                await frozen.close()
            await scheduler.run()
            await journal.all_written()
            await self._all_shown(server)
            blocks.let_leave()
            await server.stop(self._options.grace_ms, await self._farewell(journal))

    async def _farewell(self, journal: StoreJournal) -> Farewell:
        """The goodbye's reason: whether matches remain for a next run, or none do."""
        if self._options.stop.is_set():
            return "shutting_down"
        name = self._configuration.name
        is_over = await journal.read(lambda: self._store.tournaments.is_complete(name))
        return "finished" if is_over else "shutting_down"

    async def _all_shown(self, server: Server) -> None:
        """Return when delayed spectators have seen the end, or when asked to stop."""
        async with cancelled_by(self._options.stop.wait):
            await server.all_shown()

    async def _stop_when_asked(
        self,
        server: Server,
        scheduler: Scheduler,
        journal: StoreJournal,
        blocks: BlockPlayers,
    ) -> None:
        await self._options.stop.wait()
        journal.end_within(self._options.grace_ms / 1000)
        scheduler.stop()
        blocks.let_leave()
        await server.stop(self._options.grace_ms)

    def _say_possible(self) -> None:
        """Report the concurrent matches if they are fewer than requested."""
        configuration = self._configuration
        asked, possible = requested_at_once(configuration), possible_at_once(configuration)
        if possible is None:
            return
        needed = cores_of(configuration.game, configuration.players)
        if needed > usable_cores() and not configuration.share_cores:
            self._reporter.warning(
                f"the {needed} bots of a match think at the same time, and there "
                f"{_cores(usable_cores())}: one match is played at a time, and its bots share "
                "the cores"
            )
        elif possible < asked:
            cores = f"the {usable_cores()} processor cores"
            if configuration.share_cores:
                why = f"each bot is started once for each of {cores}"
            else:
                why = f"a bot that thinks has one of {cores} to itself, unless share_cores = true"
            self._reporter.warning(
                f"at most {possible} of the {asked} matches that concurrency asks for are played "
                f"at the same time: {why}"
            )


def _cores(count: int) -> str:
    return "is 1 processor core" if count == 1 else f"are {count} processor cores"
