"""The store: an open database, with a repository for each kind of thing in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress
from polynya_store import schema, schema_upgrade
from polynya_store.backends.backend import (
    EVERYTHING,
    News,
    Play,
    open_backend,
)
from polynya_store.bots.bot_repository import BotRepository, OperatorToken
from polynya_store.bots.upload_repository import UploadRepository
from polynya_store.database import Database, as_store_error
from polynya_store.disk_space import DiskUse, measure
from polynya_store.game_servers import GameServers
from polynya_store.ladder.bot_profiles import BotProfiles
from polynya_store.ladder.interventions import InterventionRepository
from polynya_store.ladder.ladder_repository import LadderRepository
from polynya_store.matches import ladder_secrets
from polynya_store.matches.match_repository import MatchRepository, ProcessReportRepository
from polynya_store.ratings import rating_order
from polynya_store.ratings.rating_repository import RatingRepository
from polynya_store.reachability import Reachability
from polynya_store.tournaments import tournament_secrets
from polynya_store.tournaments.tournament_repository import TournamentRepository
from polynya_store.visibility import LiveDelay
from polynya_store.writer.executors import BatchExecutor, InProcessExecutor, WriterProcess
from polynya_store.writer.result_file import (
    KeptResults,
    ResultFile,
    find_results,
    record_kept,
)
from polynya_store.writer.result_folders import result_place


class Store:
    """An open database; a context manager. All methods are synchronous and quick.

    Any number of processes may read a database; one at a time may play into a file, and several
    into a database of a PostgreSQL server, each something else.

    Attributes:
        address: where it is; as text without a password.
        database: transactions on it.
        bots, operator, matches, tournaments, ratings, ladder, profiles, interventions, uploads,
            processes, game_servers: what the database can be asked, and what can be written.
        durable: whether what is written lasts: not if the file is gone afterwards.
        live_delay: how much later than it happens pages show what happens in matches.
        voided_matches: how many matches were in play when the process before this one was killed.
        opening_notes: what was done at opening that the host should know, a sentence each.
        unrecorded: takes results that the database does not take before the process has to end;
            None for a store that nothing reads afterwards.
        reachability: whether the database answers, while a journal is open.
    """

    def __init__(self, database: Database, *, durable: bool = True) -> None:
        self.address = database.address
        self.durable = durable
        self.database = database
        self.live_delay = LiveDelay()
        self.bots = BotRepository(database)
        self.operator = OperatorToken(database)
        self.matches = MatchRepository(database, self.live_delay)
        self.tournaments = TournamentRepository(database, self.live_delay)
        self.ratings = RatingRepository(database)
        self.ladder = LadderRepository(database, self.live_delay)
        self.profiles = BotProfiles(database, self.live_delay)
        self.interventions = InterventionRepository(database)
        self.uploads = UploadRepository(database)
        self.processes = ProcessReportRepository(database)
        self.game_servers = GameServers(database)
        self.voided_matches = 0
        self.opening_notes: list[str] = []
        self.unrecorded: ResultFile | None = None
        self.reachability = Reachability()
        self._in_process = InProcessExecutor(database)
        self._process: WriterProcess | None = None

    def measure(self) -> DiskUse:
        """The size of the database; the free space on its disk, or where results wait for it.

        A server of databases does not tell how much of its disk is free.

        Raises:
            StoreError: it cannot be read.
            OSError: its folder is not there.
        """
        if self.file is not None:
            return measure(self.file)
        with self.database.reading() as connection:
            size = connection.scalar(sa.text("SELECT pg_database_size(current_database())"))
        folder = result_place(self.address).folder or Path.cwd()
        return DiskUse(int(size or 0), shutil.disk_usage(folder).free)

    @classmethod
    def open(
        cls,
        address: DatabaseAddress,
        *,
        for_play: bool = False,
        create: bool = False,
        claims: Sequence[str] = EVERYTHING,
        durable: bool = True,
    ) -> Self:
        """Open a database; ``for_play`` bring its schema up to date.

        Results that an earlier process has kept in a file are recorded ``for_play``.

        Args:
            address: a file, or the URL of a database on a PostgreSQL server.
            for_play: create it (not its folder) if it is missing, keep other processes from
                playing what is claimed, and declare void what was in play when an earlier process
                was killed.
            create: create it if it is missing.
            claims: what is played, like ``the tournament autumn``. Only one process plays into a
                file, with any claims; on a server several play that claim different things.
            durable: whether a commit waits for the disk; False for a temporary file.

        Raises:
            ClaimedError: another process plays what is claimed.
            StoreError: no such file, folder or server, not writable, no database, made by a newer
                version, or by an older one and not opened ``for_play``.
        """
        backend = open_backend(address, durable=durable)
        store = cls(Database(backend), durable=durable)
        try:
            with as_store_error(backend):
                backend.check(create=for_play or create)
                if not for_play and create and backend.is_missing():
                    for_play, claims = True, ()  # servers may begin to play beside it
            if for_play:
                store.database.play = backend.lock_for_play()
            schema_upgrade.prepare(backend, for_play=for_play)
            backend.remember()
            if store.database.play is not None:
                store._settle_earlier_matches(store.database.play, claims)
        except BaseException:
            store.close()
            raise
        return store

    def begin_new_secrets(self) -> list[str]:
        """Give what is not over new secrets, after the database was restored.

        Numbers after the backup are played a second time, and their set-ups may have been seen.

        Returns:
            the names of the tournaments that have new ones.
        """
        with self.database.writing() as connection:
            ladder_secrets.renew(connection)
            names = connection.scalars(sa.select(schema.tournaments.c.name)).all()
            return [name for name in names if tournament_secrets.renew(connection, name)]

    @property
    def file(self) -> Path | None:
        """The file; None for a database on a server."""
        return self.address if isinstance(self.address, Path) else None

    def _settle_earlier_matches(self, play: Play, claims: Sequence[str]) -> None:
        """Record results that an earlier process kept in a file; void other matches in play."""
        backend = self.database.backend
        with self.database.writing() as connection:
            found = find_results(self.address, backend.number(connection)) if self.durable else []
            documents = [document for file in found for document in file.documents]
            kept = record_kept(connection, documents)
            self.voided_matches = play.enter(connection, claims)
            rating_order.rate_revealed(connection)
            number = backend.number(connection)
        for file in found:
            place = file.path
            if kept.foreign:
                place = file.set_aside()
            else:
                file.remove()
            self.opening_notes.append(_note(kept, file.path, place))
        self.unrecorded = ResultFile(self.address, number) if self.durable else None

    def listen(self) -> News | None:
        """Listen for changes of bots and ratings; None if the database does not notify.

        Raises:
            StoreError: the database cannot be reached.
        """
        return self.database.backend.listen()

    def close(self) -> None:
        """Close it; may be called twice."""
        if self._process is not None:
            self._process.close()
        self.database.backend.engine.dispose()
        if self.database.play is not None:
            self.database.play.close()

    @contextmanager
    def claiming(self, claim: str) -> Iterator[None]:
        """Claim a tournament or ladder until the context exits.

        Raises:
            StoreError: another process plays it; the message names it.
        """
        play = self._playing()
        with self.database.writing() as connection:
            play.claim(connection, claim)
        try:
            yield
        finally:
            with self.database.writing() as connection:
                play.release(connection, claim)

    def _playing(self) -> Play:
        if self.database.play is None:
            raise ValueError("the store is not open for play")
        return self.database.play

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def batches(self) -> BatchExecutor:
        """Carries out the journal's batches: a process of their own if one was started."""
        return self._process or self._in_process

    def start_writer_process(self) -> None:
        """Write batches in a separate process from now on, until the store is closed.

        On a system without flock (Windows) a thread of this process goes on writing them.
        """
        if self._playing().shared_descriptors is not None:
            self._process = WriterProcess(self.database)


def _note(kept: KeptResults, path: Path, place: Path) -> str:
    """The note about recorded results of a file, which is at ``place`` now."""
    sentence = f"results that were kept in {path} are recorded now: {kept.recorded}"
    if kept.known:
        sentence += f"; {kept.known} had been recorded before"
    if kept.foreign:
        sentence += f"; {kept.foreign} belong to no match that waits for one: the file is {place}"
    return sentence
