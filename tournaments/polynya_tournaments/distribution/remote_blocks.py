"""Has workers play the blocks of a tournament, and records the results that they return."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from polynya_common.errors import ConfigurationError, RunError, unwrap_single_error
from polynya_common.reasons import Cause, Reason
from polynya_contest.config.dask_settings import DaskSettings
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_hosting.bots.cores import cores_of
from polynya_hosting.bots.process_reports import TellForfeits
from polynya_hosting.bots.sandboxed_bots import private_paths
from polynya_server import ConnectedBot
from polynya_server.match.result import annulled_record
from polynya_server.records import MatchRecord, MatchSetup, decode_replay
from polynya_server.version import version
from polynya_store import StoreJournal
from polynya_tournaments.distribution.batches import Batches
from polynya_tournaments.distribution.block_messages import BlockResult, BlockTask
from polynya_tournaments.distribution.bot_archives import BotArchives, portable_sandbox
from polynya_tournaments.distribution.cluster import Cluster, open_cluster
from polynya_tournaments.tournament.hosted_blocks import (
    BlockPlayers,
    HostedRun,
    IdleBot,
    OpenBlock,
    number_of,
)
from polynya_tournaments.tournament.match_runner import Play
from polynya_tournaments.tournament.progress_events import Reporter

_TRIED_ON = 2
"""Give up on a bot that could not be started on this number of workers."""

_ANY_NUMBER = 1_000_000


class RemoteBlocks:
    """Implements :class:`~polynya_tournaments.tournament.hosted_blocks.BlockPlayers`.

    Args:
        run: the tournament.
        archives: its bots.
        cluster: plays the blocks.
        journal: keeps the records.
        tell_forfeits: see :data:`~polynya_hosting.bots.process_reports.TellForfeits`.
        nursery: for the tasks of workers.
    """

    whole = True

    def __init__(
        self,
        run: HostedRun,
        archives: BotArchives,
        cluster: Cluster,
        journal: StoreJournal,
        tell_forfeits: TellForfeits,
        nursery: trio.Nursery,
    ) -> None:
        self._run = run
        self._archives = archives
        self._cluster = cluster
        self._journal = journal
        self._tell_forfeits = tell_forfeits
        self._sandbox = portable_sandbox(run.configuration.sandbox)
        self._batches = Batches(self._send, lambda: cluster.slots, nursery)
        self._connected = {name: IdleBot(name, _ANY_NUMBER) for name in archives.bots}
        self._failed_on: defaultdict[str, set[str]] = defaultdict(set)

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """All bots: each can be started wherever there is a worker."""
        return self._connected

    async def changed(self, since: int | None = None) -> int:
        """Wait until workers came or went."""
        version = await self._cluster.changes.wait(since)
        self._batches.send()
        return version

    def at_once(self) -> int:
        """How many blocks are out at the same time."""
        return self._batches.at_once()

    def let_leave(self) -> None:
        """The bots belong to the workers."""

    @asynccontextmanager
    async def open(self, players: Sequence[str]) -> AsyncIterator[OpenBlock]:
        """See :class:`~polynya_tournaments.tournament.hosted_blocks.Blocks`."""
        await trio.lowlevel.checkpoint()
        yield _RemoteBlock(partial(self._play, players))

    async def starts(self, name: str, setup: MatchSetup) -> bool:
        """See :class:`~polynya_tournaments.tournament.hosted_blocks.Blocks`.

        A bot that cannot be started on one worker is tried on another before it is given up.
        """
        task = self._task([name], [setup], only_starts=True)
        for attempt in range(1, _TRIED_ON + 1):
            result = await self._until_stopped(task)
            if result is None:
                return False
            if result.refused is not None:
                raise RunError(result.refused)
            if not result.failed and name not in result.given_up:
                return True
            if self._note_given_up(result):
                return False
            if attempt == _TRIED_ON:
                self._run.give_up(name, _why_unplayed(result))
        return False

    def _task(
        self,
        players: Sequence[str],
        setups: Sequence[MatchSetup],
        *,
        only_starts: bool = False,
    ) -> BlockTask:
        configuration = self._run.configuration
        return BlockTask(
            version=version(),
            tournament=configuration.name,
            bot_seeds={
                str(number): {name: self._run.bot_seed(name, number) for name in players}
                for number in self._numbers_of_processes(setups)
            },
            setups=tuple(setups),
            bots=tuple(self._archives.bots[name] for name in players),
            sandbox=self._sandbox,
            start_ms=configuration.start_ms,
            restarts=configuration.restarts,
            server=configuration.server,
            game_archive=self._archives.game,
            fresh_processes=configuration.fresh_processes,
            only_starts=only_starts,
            cores=1 if only_starts else cores_of(configuration.game, configuration.players),
        )

    def _numbers_of_processes(self, setups: Sequence[MatchSetup]) -> Sequence[int | None]:
        """The number of the match that each process is started for; None if it plays many."""
        if not self._run.configuration.fresh_processes:
            return [None]
        return [number_of(setup.match) for setup in setups]

    async def _send(self, tasks: Sequence[BlockTask]) -> Sequence[BlockResult]:
        return await self._cluster.play(tasks, self._archives.content)

    async def _play(
        self, players: Sequence[str], setups: Sequence[MatchSetup]
    ) -> Sequence[MatchRecord | None]:
        result = await self._until_stopped(self._task(players, setups))
        if result is None:
            for setup in setups:
                await self._journal.void(setup.match, "the run was stopped")
            return [None] * len(setups)
        if result.refused is not None:
            raise RunError(result.refused)
        for sentence in result.warnings:
            self._run.warn(f"{sentence} (worker {result.worker})")
        return await self._record(setups, result)

    async def _until_stopped(self, task: BlockTask) -> BlockResult | None:
        """The result; None if the run is stopped before it comes."""
        result = None
        with unwrap_single_error():
            async with trio.open_nursery() as nursery:

                async def end_in_time() -> None:
                    await self._run.stop.wait()
                    await trio.sleep(self._run.grace_s)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(end_in_time)
                result = await self._batches.play(task)
                nursery.cancel_scope.cancel()
        return result

    async def _record(
        self, setups: Sequence[MatchSetup], result: BlockResult
    ) -> Sequence[MatchRecord | None]:
        """Record played matches; annul the others.

        If a bot is given up, or the rules failed in a match before them, they are voided.
        """
        replays = [decode_replay(replay) for replay in result.replays]
        played = {record.setup.match: record for record in replays}
        given_up = self._note_given_up(result)
        why_void = _all_of(result.given_up.values()) if given_up else _why_waiting(replays)
        found: list[MatchRecord | None] = []
        for setup in setups:
            record = played.get(setup.match)
            if record is None and why_void is not None:
                await self._journal.void(setup.match, why_void)
            else:
                record = record or annulled_record(setup, _why_unplayed(result))
                await self._journal.finish(record)
                if reports := result.processes.get(setup.match, {}):
                    await self._journal.note_processes(setup.match, reports)
                if record.forfeits:
                    self._tell_forfeits(record, reports)
            found.append(record)
        return found

    def _note_given_up(self, result: BlockResult) -> bool:
        """Whether a bot is given up for all matches, not only for this worker."""
        enough = min(_TRIED_ON, max(1, len(self._cluster.workers)))
        hopeless = False
        for name, why in result.given_up.items():
            self._failed_on[name].add(result.worker)
            if len(self._failed_on[name]) >= enough:
                hopeless = True
                self._run.give_up(name, why)
        return hopeless


class _RemoteBlock:
    """Implements :class:`~polynya_tournaments.tournament.hosted_blocks.OpenBlock`."""

    def __init__(self, play: Play) -> None:
        self._play = play

    async def ready(self, players: Sequence[str], number: int) -> bool:  # noqa: ARG002
        """Whether a worker is free is the cluster's matter."""
        await trio.lowlevel.checkpoint()
        return True

    async def play(self, setups: Sequence[MatchSetup]) -> Sequence[MatchRecord | None]:
        """See :class:`~polynya_tournaments.tournament.hosted_blocks.OpenBlock`."""
        return await self._play(setups) if setups else []


def _why_unplayed(result: BlockResult) -> Cause:
    why: Cause = result.failed or Reason.of("not_played_by_worker")
    if not result.failed and result.given_up:
        why = _all_of(result.given_up.values())
    return Reason.of("of_worker", worker=result.worker, why=why) if result.worker else why


def _why_waiting(records: Iterable[MatchRecord]) -> Reason | None:
    """Why the rest of a block waits with a match of it whose rules failed; None without one."""
    for record in records:
        if record.rules_failed:
            return Reason.of("waits_for_rules", number=number_of(record.setup.match))
    return None


def _all_of(causes: Iterable[Cause]) -> Reason:
    return Reason.of("all_of", reasons=list(causes))


@asynccontextmanager
async def open_remote_blocks(
    settings: DaskSettings, run: HostedRun, journal: StoreJournal, reporter: Reporter
) -> AsyncIterator[BlockPlayers]:
    """Open workers for this run's blocks; release them when the context exits.

    Raises:
        ConfigurationError: a bot, or the game's folder, cannot be sent to workers.
        RunError: no scheduler answers, or a worker has another version of polynya.
    """
    private = private_paths(run.configuration)
    with TemporaryDirectory(prefix="polynya-archives-") as folder:
        archives = BotArchives(Path(folder))
        game = run.configuration.game
        await trio.to_thread.run_sync(archives.add_game, game, private)
        for bot in run.bots:
            await trio.to_thread.run_sync(archives.add, bot, private)
        cores = cores_of(run.configuration.game, run.configuration.players)
        async with (
            open_cluster(settings, reporter, run.stop, cores) as cluster,
            trio.open_nursery() as nursery,
        ):
            yield RemoteBlocks(run, archives, cluster, journal, reporter.forfeits, nursery)
            nursery.cancel_scope.cancel()


def refuse_external(configuration: TournamentConfiguration) -> None:
    """Refuse bots that connect from outside.

    Raises:
        ConfigurationError: there is one; the message names it.
    """
    for number, bot in enumerate(configuration.bots):
        if bot.external and not bot.withdrawn:
            raise ConfigurationError(
                f"bots[{number}]: {bot.name} connects from outside, and with --dask workers start "
                "all bots: give it a command or an upload, or leave --dask out"
            )
