"""The store as the server's journal: writes in batches off the loop, durable when they return."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial

import sqlalchemy as sa
import trio

from polynya_common.errors import StoreError, WritingEndedError, unwrap_single_error
from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Cause
from polynya_common.text import join_words
from polynya_contest.pairing.schedule import Pairing, TournamentPlan
from polynya_protocol.messages import RatingChange
from polynya_server.records import MatchRecord, MatchSetup, encode_replay
from polynya_store.backends.backend import CLAIM_S, FencedError, Play
from polynya_store.bots import bot_repository
from polynya_store.database import may_pass
from polynya_store.ladder import interventions
from polynya_store.matches import match_recording, match_repository
from polynya_store.matches.match_recording import Attempt, FinishedMatch
from polynya_store.store import Store
from polynya_store.tournaments import open_pairings, planning
from polynya_store.tournaments.open_pairings import OpenPairing
from polynya_store.writer.batch_writer import BatchWriter
from polynya_store.writer.executors import OneByOne, Result, Value, Write

_RENEW_S = 1.0
_LEAVE_S = 3.0
"""How long a server may take to say goodbye when another one has taken over."""
_READ_AGAIN_S = 0.5


Leave = Callable[[], Awaitable[None]]


class StoreJournal:
    """Implements ``polynya_server.records.journal.Journal`` on a store opened ``for_play``.

    What a method has returned from is on the disk, if the store is durable. Each raises
    ``StoreError`` when the database cannot be written at all; while it is locked or its disk is
    full they wait, at most until the time of :meth:`end_within`. After it results go into a file of
    their own.
    """

    def __init__(
        self,
        store: Store,
        writer: BatchWriter,
        warn: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        self.store = store
        self._warn = warn
        self._writer = writer
        self._watchers: list[Callable[[str, FinishedMatch], None]] = []
        self._record_watchers: list[Callable[[MatchRecord], None]] = []
        self._leavers: list[Leave] = []

    def end_within(self, seconds: float) -> None:
        """Give up waiting for an unwritable database after this many seconds."""
        self._writer.end_within(seconds)

    def token_hashes(self) -> Mapping[str, bytes]:
        """SHA-256 of the token of every registered bot, by name."""
        return self.store.bots.token_hashes()

    async def register(
        self, name: str, token_hash: bytes, instead_of: bytes | None = None
    ) -> str | None:
        """Record a new bot, or another token; see :class:`polynya_server.Journal`."""
        return await self._writer.write(_REGISTER, (name, token_hash, instead_of))

    async def suspend(self, name: str, why: Cause) -> None:
        """Suspend a bot from the ladder; ``why`` is a sentence."""
        # Else the bot's next match does it: what it did is in the results.
        await self._write_if_possible(_SUSPEND, (name, why))

    async def begin(self, attempt: Attempt) -> MatchSetup:
        """Record a match before it is played; its set-up with the players' present ratings.

        A ladder's match gets its id and its seed here, and a match of a game with a secret deal
        its deal. If the file is not durable, no caller waits for other writes, and there are no
        ratings.
        """
        if not (self.store.durable or attempt.of_ladder or attempt.is_dealt):
            await self._writer.post(match_recording.begin_without_ratings, attempt)
            return attempt.setup
        return await self._writer.write(match_recording.begin_matches, attempt)

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        """Record result, replay and ratings in one transaction; the ratings changed at once.

        For a file that is gone afterwards see :meth:`begin`.
        """
        for note in self._record_watchers:
            note(record)
        if not self.store.durable:
            await self._writer.post(match_recording.finish_without_ratings, record)
            return []
        keep = partial(self._keep, record)
        try:
            finished = await self._writer.write(match_recording.finish_matches, record, keep)
        except WritingEndedError:
            return []  # it is rated when the file is read
        if finished.unratable:
            self._warn(
                f"the rating of {record.setup.match} cannot be computed: its result is recorded, "
                "and 'polynya ratings recompute' makes its rating up"
            )
        for watcher in self._watchers:
            watcher(record.setup.match, finished)
        return [bot.change for bot in finished.rated]

    @contextmanager
    def watching_matches(self, ended: Callable[[str, FinishedMatch], None]) -> Iterator[None]:
        """Call ``ended`` with the id of each match that :meth:`finish` has recorded."""
        self._watchers.append(ended)
        try:
            yield
        finally:
            self._watchers.remove(ended)

    @contextmanager
    def watching_records(self, note: Callable[[MatchRecord], None]) -> Iterator[None]:
        """Call ``note`` with the record of each match before :meth:`finish` writes it.

        A match that is begun in the pass of the loop after that is written in the same transaction.
        """
        self._record_watchers.append(note)
        try:
            yield
        finally:
            self._record_watchers.remove(note)

    @contextmanager
    def leaving(self, leave: Leave) -> Iterator[None]:
        """Call ``leave`` when another server may have taken over, before the journal fails.

        It is to send bots away without waiting for the database.
        """
        self._leavers.append(leave)
        try:
            yield
        finally:
            self._leavers.remove(leave)

    async def leave(self) -> None:
        """Call what was given to :meth:`leaving`, within ``_LEAVE_S``."""
        with trio.move_on_after(_LEAVE_S):
            async with trio.open_nursery() as nursery:
                for leave in self._leavers:
                    nursery.start_soon(leave)

    async def note_processes(self, match: str, reports: Mapping[int, ProcessReport]) -> None:
        """Record the host's process reports of a match, by seat; only in a durable store."""
        if self.store.durable:
            await self._write_if_possible(match_repository.note_reports, (match, reports))

    async def read(self, read: Callable[[], Result]) -> Result:
        """Read the store in a thread; wait for the database as writes do."""
        while True:
            try:
                return await trio.to_thread.run_sync(read)
            except StoreError as error:
                if not may_pass(self.store.database.backend, error):
                    raise
            await trio.sleep(_READ_AGAIN_S)
            await self.all_written()

    async def all_written(self) -> None:
        """Return when all writes so far are in the database."""
        await self._writer.write(_nothing, None)

    def _keep(self, record: MatchRecord) -> None:
        if self.store.unrecorded is None:
            raise StoreError("the database is gone after this process: nothing is kept")
        self.store.unrecorded.keep(encode_replay(record))

    async def _write_if_possible(self, write: Write[Value, None], value: Value) -> None:
        """Write if possible: the next start would find it out anyhow."""
        with suppress(WritingEndedError):
            await self._writer.write(write, value, lambda: None)

    async def void(self, match: str, detail: Cause) -> None:
        """Void a match that ended without a record; ``why`` is a sentence."""
        await self._write_if_possible(match_recording.void_matches, (match, detail))

    async def void_tournament(self, tournament_id: int, detail: Cause) -> None:
        """Void all matches in play of a tournament."""
        await self._write_if_possible(match_recording.void_tournaments, (tournament_id, detail))

    async def submit(
        self, tournament: str, present: Mapping[str, str | None]
    ) -> Mapping[str, str | None]:
        """Record bots' software if none is recorded yet; return all that is recorded."""
        return await self._writer.write(_SUBMIT, (tournament, present))

    async def plan(self, plan: TournamentPlan) -> int:
        """Record a tournament's first matches, or find it as it was recorded; its id."""
        return await self._writer.write(_PLAN, (plan,))

    async def draw(self, tournament_id: int, pairings: Sequence[Pairing]) -> None:
        """Record further matches of a tournament before they are played."""
        await self._writer.write(_DRAW, (tournament_id, pairings))

    async def withdraw(self, tournament_id: int, names: Sequence[str]) -> list[str]:
        """Withdraw bots from a tournament; return those that had not withdrawn before."""
        return await self._writer.write(_WITHDRAW, (tournament_id, names))

    async def walk_over(
        self,
        tournament_id: int,
        missed: Sequence[tuple[int, Mapping[str, str]]],
        why: Cause | None = None,
    ) -> None:
        """Record that pairings are decided unplayed: their ids, the bots that missed them, and why.

        ``why`` says it in a sentence, where there is more to say.
        """
        await self._writer.write(_WALK_OVER, (tournament_id, missed, why))

    async def open_pairings(self, tournament_id: int, after: int = 0) -> list[OpenPairing]:
        """The pairings that are still to be played, in the order of the schedule.

        With ``after`` only those that were drawn after the match of this number.
        """
        return await self._writer.write(_OPEN_PAIRINGS, (tournament_id, after))

    async def play_held(self, tournament_id: int) -> int:
        """Open the pairings that wait because the rules failed; return their number."""
        return await self._writer.write(_PLAY_HELD, (tournament_id,))

    async def hold_others(self, tournament_id: int) -> None:
        """Hold what is left between bots with a match whose rules failed."""
        await self._writer.write(_HOLD_OTHERS, (tournament_id,))

    async def drop(self, tournament_id: int, why: Cause) -> int:
        """Drop a tournament's remaining pairings; return their number.

        Matches in play go on; ``why`` says it in a sentence.
        """
        return await self._writer.write(open_pairings.drop, (tournament_id, why))

    async def abandon(self, tournament_id: int, pairing_ids: Sequence[int], why: Cause) -> None:
        """Give pairings up until the tournament is run again; ``why`` says it in a sentence."""
        await self._writer.write(open_pairings.abandon, (tournament_id, pairing_ids, why))


def _nothing(_connection: sa.Connection, asked: Sequence[None]) -> Sequence[None]:
    return asked


def _suspend(connection: sa.Connection, name: str, why: Cause) -> None:
    bot_repository.suspend(connection, name, why)
    interventions.note_bot(connection, "suspend", name, interventions.LADDER, why)


def _submit(
    connection: sa.Connection, tournament: str, present: Mapping[str, str | None]
) -> Mapping[str, str | None]:
    planning.submit(connection, tournament, present)
    return planning.submissions(connection, tournament)


_REGISTER = OneByOne(bot_repository.register)
_SUSPEND = OneByOne(_suspend)
_SUBMIT = OneByOne(_submit)
_PLAN = OneByOne(planning.plan_tournament)
_DRAW = OneByOne(planning.add_pairings)
_WITHDRAW = OneByOne(planning.withdraw)
_WALK_OVER = OneByOne(open_pairings.walk_over)
_OPEN_PAIRINGS = OneByOne(open_pairings.open_pairings)
_HOLD_OTHERS = OneByOne(open_pairings.hold_others)
_PLAY_HELD = OneByOne(open_pairings.play_held)


@asynccontextmanager
async def open_journal(
    store: Store, warn: Callable[[str], None] = lambda _sentence: None
) -> AsyncIterator[StoreJournal]:
    """Open a journal; its last writes are durable when the context exits.

    ``warn`` takes a sentence when writes have to wait (a locked database, a full disk).

    Raises:
        StoreError: the database could not be written before the time of ``end_within``; it names
            the file with the results.
    """
    writer = BatchWriter(store.database, store.batches, warn)
    try:
        with unwrap_single_error():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(writer.run)
                journal = StoreJournal(store, writer, warn)
                renewal = await nursery.start(_keep_claim, journal)
                try:
                    yield journal
                finally:
                    renewal.cancel()
                    writer.close()
    except StoreError as error:
        if writer.ended is None:
            raise
        why = str(error) if isinstance(error, FencedError) else writer.ended
        raise _unwritten(why, store) from error
    except BaseException:
        if writer.ended is not None:
            warn(str(_unwritten(writer.ended, store)))
        raise
    if writer.ended is not None:
        raise _unwritten(writer.ended, store)


async def _keep_claim(
    journal: StoreJournal,
    task_status: trio.TaskStatus[trio.CancelScope] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Renew what this process claims until cancelled.

    Raises:
        FencedError: another server has taken over, or may have; bots were sent away.
    """
    store = journal.store
    play = store.database.play
    with trio.CancelScope() as scope:
        task_status.started(scope)
        if play is None or not (store.durable or play.fence is not None):
            return
        try:
            with unwrap_single_error():
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_renew, store, play)
                    nursery.start_soon(_watch_silence, store)
        except FencedError:
            await journal.leave()
            raise


async def _renew(store: Store, play: Play) -> None:
    """Renew the sign of life every second, and note whether the database answers.

    Raises:
        FencedError: another server has taken over; an idle one writes nothing that would tell it.
    """
    while True:
        try:
            await trio.to_thread.run_sync(_look, store, play, abandon_on_cancel=True)
        except FencedError:
            raise
        except StoreError as error:  # it is waited for where something is to be written
            store.reachability.failed(str(error))
        else:
            store.reachability.answered(is_awaited=play.is_awaited)
        await trio.sleep(_RENEW_S)


async def _watch_silence(store: Store) -> None:
    """Return never: a server that was cut off for too long may have a successor.

    Raises:
        FencedError: it has not heard of the database since, and another server stood by.
    """
    was_lost = False
    while True:
        await trio.sleep(_RENEW_S)
        # Looked at twice: a process that stood still for a while may hear what is the case.
        if was_lost and store.reachability.is_lost:
            raise FencedError(
                f"the database {store.address} has not answered for {CLAIM_S} s, and another "
                "server stands by, which may have taken over: this one stops"
            )
        was_lost = store.reachability.is_lost


def _look(store: Store, play: Play) -> None:
    store.database.backend.check_in_place()
    play.renew()


def _unwritten(problem: str, store: Store) -> StoreError:
    kept = store.unrecorded
    if kept is None or not kept.results:
        return StoreError(f"{problem}; no result has waited for it")
    paths = join_words([str(path) for path in kept.paths])
    results = "1 result is" if kept.results == 1 else f"{kept.results} results are"
    return StoreError(
        f"{problem}; {results} in {paths}, and recorded when the same command is started again"
    )
