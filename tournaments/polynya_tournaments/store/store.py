"""The store: an open database, with a repository for each kind of thing in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Self

from polynya_tournaments.store import database_file, schema_upgrade
from polynya_tournaments.store.bots.bot_repository import BotRepository
from polynya_tournaments.store.bots.operator_token import OperatorToken
from polynya_tournaments.store.bots.upload_repository import UploadRepository
from polynya_tournaments.store.database import Database
from polynya_tournaments.store.ladder.bot_profiles import BotProfiles
from polynya_tournaments.store.ladder.interventions import InterventionRepository
from polynya_tournaments.store.ladder.ladder_repository import LadderRepository
from polynya_tournaments.store.matches import match_recording
from polynya_tournaments.store.matches.match_repository import MatchRepository
from polynya_tournaments.store.play_lock import PlayLock, lock_for_play
from polynya_tournaments.store.ratings.rating_repository import RatingRepository
from polynya_tournaments.store.tournaments.tournament_repository import TournamentRepository
from polynya_tournaments.store.visibility import LiveDelay
from polynya_tournaments.store.writer.transactions import BatchExecutor, InProcessExecutor
from polynya_tournaments.store.writer.writer_process import WriterProcess


class Store:
    """An open database; a context manager. All methods are synchronous and quick.

    Any number of processes may read a database; one at a time may play into it.

    Attributes:
        path: the file.
        database: transactions on it.
        bots, operator, matches, tournaments, ratings, ladder, profiles, interventions, uploads:
            what the database can be asked, and what can be written.
        durable: whether what is written lasts: not if the file is gone afterwards.
        live_delay: how much later than it happens pages show what happens in matches.
        voided_matches: how many matches were in play when the process before this one was killed.
    """

    def __init__(
        self, database: Database, lock: PlayLock | None = None, *, durable: bool = True
    ) -> None:
        self.path = database.path
        self.durable = durable
        self.database = database
        self.live_delay = LiveDelay()
        self.bots = BotRepository(database)
        self.operator = OperatorToken(database)
        self.matches = MatchRepository(database, self.live_delay)
        self.tournaments = TournamentRepository(database, self.live_delay)
        self.ratings = RatingRepository(database)
        self.ladder = LadderRepository(database)
        self.profiles = BotProfiles(database, self.live_delay)
        self.interventions = InterventionRepository(database)
        self.uploads = UploadRepository(database)
        self.voided_matches = 0
        self._lock = lock
        self._in_process = InProcessExecutor(database.engine)
        self._process: WriterProcess | None = None

    @classmethod
    def open(cls, path: Path, *, for_play: bool = False, durable: bool = True) -> Self:
        """Open a database file, bringing its schema up to date.

        Args:
            path: the file.
            for_play: create it (not its folder) if it is missing, keep other processes from
                playing into it, and declare void what was in play when an earlier process was
                killed.
            durable: whether a commit waits for the disk; not for a file that is gone afterwards.

        Raises:
            StoreError: no such file or folder, not writable, no database, made by a newer
                version, or another process is playing into it.
        """
        database_file.check_path(path, create=for_play)
        store = cls(
            Database(path, database_file.connect(path, durable=durable)),
            lock_for_play(path) if for_play else None,
            durable=durable,
        )
        try:
            schema_upgrade.prepare(store.database.engine, path, create=for_play)
            store.database.remember_file()
            if for_play:
                with store.database.writing() as connection:
                    store.voided_matches = match_recording.void_in_play(connection)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close it; may be called twice."""
        if self._process is not None:
            self._process.close()
        self.database.engine.dispose()
        if self._lock is not None:
            self._lock.close()

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
        """Let batches be written by a process of their own from now on, until this is closed.

        On a system without flock (Windows) a thread of this process goes on writing them.
        """
        if self._lock is None:
            raise ValueError("only a store that is open for play is written in batches")
        if not isinstance(self._lock, sqlite3.Connection):  # else no other process can share it
            self._process = WriterProcess(self.path, self._lock)
