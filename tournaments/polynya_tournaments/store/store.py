"""The database as an object: opening, closing, and what it can be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import dumps, loads
from types import TracebackType
from typing import IO, Any, Self

import sqlalchemy as sa

from polynya_tournaments.conduct import Outcome
from polynya_tournaments.errors import StoreError
from polynya_tournaments.pairing.standings import Standings
from polynya_tournaments.ratings.book import Pool
from polynya_tournaments.ratings.model import BotStrength
from polynya_tournaments.store import database_file
from polynya_tournaments.store.bots import interventions, operator_tokens, registered_bots
from polynya_tournaments.store.bots.interventions import HOST, Intervention
from polynya_tournaments.store.bots.registered_bots import Roster
from polynya_tournaments.store.browsing import Browsing
from polynya_tournaments.store.failures import Gone, explained
from polynya_tournaments.store.ladder import ladder_history
from polynya_tournaments.store.matches import match_queries, match_recording
from polynya_tournaments.store.ratings import current_ratings
from polynya_tournaments.store.rows import (
    BotRow,
    MatchRow,
    PairingRow,
    RatingRow,
    TournamentRow,
    VersionRow,
)
from polynya_tournaments.store.tournaments.drawn_rounds import Outline, Recorded
from polynya_tournaments.store.visibility.published import Publishing
from polynya_tournaments.store.writer.transactions import Batch, transact
from polynya_tournaments.store.writer.writer_process import WriterProcess


class Store(Browsing, Publishing):
    """An open database; a context manager. All methods are synchronous and quick.

    Any number of processes may read a database; one at a time may play into it.

    Attributes:
        path: the file.
        live_delay_ms: how much later than it happens pages tell what happens in matches; who opens
            a server that plays into it sets it.
        voided: how many matches were in play when the process before this one was killed.
    """

    def __init__(self, path: Path, engine: sa.Engine, lock: IO[str] | None = None) -> None:
        self.path = path
        self.voided = 0
        self.live_delay_ms = 0
        self._engine = engine
        self._reading = database_file.reading(engine)
        self._lock = lock
        self._identity: tuple[int, int] | None = None
        self._writer: WriterProcess | None = None

    @classmethod
    def open(cls, path: Path, *, for_play: bool = False) -> Self:
        """Open a database file, bringing its schema up to date.

        Args:
            path: the file.
            for_play: create it (not its folder) if need be, keep other processes from playing into
                it, and declare void what was in play when an earlier process was killed.

        Raises:
            StoreError: no such file or folder, not writable, no database, made by a newer
                version, or another process is playing into it.
        """
        database_file.check_path(path, create=for_play)
        store = cls(
            path,
            database_file.connect(path),
            database_file.lock_for_play(path) if for_play else None,
        )
        try:
            database_file.prepare(store._engine, path, create=for_play)
            store._identity = database_file.identity(path)
            if for_play:
                with store.writing() as connection:
                    store.voided = match_recording.void_in_play(connection)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close it; may be called twice."""
        if self._writer is not None:
            self._writer.close()
        self._engine.dispose()
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

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that may write: durable when the block is left.

        Raises:
            StoreError: the database cannot be written.
        """
        with explained(self.path), self._engine.begin() as connection:
            yield connection

    def pack(self, value: Any) -> Any:
        """A value as :meth:`transact` takes it: for another process, if one writes."""
        return value if self._writer is None else dumps(value)

    def unpack(self, result: Any) -> Any:
        """What a result of :meth:`transact` means."""
        return result if self._writer is None else loads(result)  # noqa: S301 - our own process

    def transact(self, batch: Batch) -> list[Any]:
        """See ``transactions.transact``; of packed values, with packed results."""
        return (
            transact(self._engine, batch) if self._writer is None else self._writer.transact(batch)
        )

    def write_apart(self) -> None:
        """Let batches be written by a process of their own from now on, until this is closed."""
        if self._lock is None:
            raise ValueError("only a store that is open for play is written in batches")
        self._writer = WriterProcess(self.path, self._lock)

    def check_place(self) -> None:
        """Refuse to write where nobody would find it.

        A file that was removed or replaced while it is open can be written as before, and what is
        written is lost with it.

        Raises:
            Gone: the file is not there; it may come back.
            StoreError: another file has taken its place.
        """
        found = database_file.identity(self.path)
        if found is None:
            raise Gone(f"the database {self.path} is gone; put the same file back")
        if found != self._identity:
            raise StoreError(
                f"another file has taken the place of the database {self.path} while it was in "
                "use; start again with the right one"
            )

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees the database as it is now, and keeps nobody waiting.

        Raises:
            StoreError: the database cannot be read.
        """
        with explained(self.path), self._reading.connect() as connection:
            yield connection

    def bots(self) -> list[BotRow]:
        """All bots by name, without guests."""
        with self.reading() as connection:
            return match_queries.bots(connection)

    def token_hashes(self) -> dict[str, bytes]:
        """SHA-256 of the token of every registered bot, by name."""
        with self.reading() as connection:
            return registered_bots.token_hashes(connection)

    def set_token(self, name: str, token_hash: bytes) -> None:
        """Register a bot, or give a registered one a new token (only the SHA-256 is kept)."""
        with self.writing() as connection:
            registered_bots.set_token(connection, name, token_hash)

    def revoke(self, name: str) -> bool:
        """Take a bot's token away; its name stays taken. False if there is no such bot."""
        with self.writing() as connection:
            return registered_bots.revoke(connection, name)

    def suspend(self, name: str, why: str, who: str = HOST) -> bool:
        """Let the ladder give a bot no matches, for a reason. False if there is no such bot."""
        with self.writing() as connection:
            done = registered_bots.suspend(connection, name, why)
            interventions.note_bot(connection, "suspend", name, who, why)
            return done

    def resume(self, name: str, why: str = "the host put it back", who: str = HOST) -> bool:
        """Let the ladder give a bot matches again. False if there is no such bot."""
        with self.writing() as connection:
            done = registered_bots.resume(connection, name)
            interventions.note_bot(connection, "resume", name, who, why)
            return done

    def annul(self, name: str, since_ms: int, why: str, who: str = HOST) -> int:
        """Let a bot's ladder matches since then count no more; see ``interventions.annul``."""
        with self.writing() as connection:
            return interventions.annul(connection, name, since_ms, who, why)

    def note_recomputed(self, who: str) -> None:
        """Record that all ratings were computed again."""
        with self.writing() as connection:
            interventions.note(connection, "recompute", who, "from the recorded results")

    def last_recomputed(self) -> int:
        """The number of the last intervention that computed ratings again; 0 without one."""
        with self.reading() as connection:
            return interventions.last_recomputed(connection)

    def interventions(self, bot: str | None = None) -> list[Intervention]:
        """What hosts have set right, in its order; of one bot, or all."""
        with self.reading() as connection:
            return interventions.interventions(connection, bot)

    def claim_operator(self, token_hash: bytes) -> bool:
        """Let the token with this hash open the operator's pages; False if another one does."""
        with self.writing() as connection:
            return operator_tokens.claim(connection, token_hash)

    def replace_operator(self, token_hash: bytes) -> None:
        """Let the token with this hash open the operator's pages, and no earlier one."""
        with self.writing() as connection:
            operator_tokens.replace(connection, token_hash)

    def operator_hash(self) -> bytes | None:
        """SHA-256 of the token that opens the operator's pages; None before there is one."""
        with self.reading() as connection:
            return operator_tokens.token_hash(connection)

    def roster(self) -> Roster:
        """Who has a token, and who is suspended."""
        with self.reading() as connection:
            return registered_bots.roster(connection)

    def suspensions(self) -> dict[str, str]:
        """By name why bots are suspended."""
        with self.reading() as connection:
            return registered_bots.suspensions(connection)

    def tournaments(self) -> list[TournamentRow]:
        """All tournaments, oldest first."""
        with self.reading() as connection:
            return match_queries.tournaments(connection)

    def standings(self, tournament: str) -> Standings:
        """The table of a tournament as it is now.

        Raises:
            StoreError: there is no such tournament; the message lists those that there are.
        """
        with self.reading() as connection:
            return match_queries.standings(connection, tournament)

    def recorded(self, tournament: str) -> Recorded:
        """What was drawn of a tournament and became of it: the next round follows from it.

        Raises:
            StoreError: there is no such tournament.
        """
        with self.reading() as connection:
            return match_queries.recorded(connection, tournament)

    def outline(self, tournament: str) -> Outline:
        """The same without its blocks: it takes as long however much was drawn.

        Raises:
            StoreError: there is no such tournament.
        """
        with self.reading() as connection:
            return match_queries.outline(connection, tournament)

    def pairings(self, tournament: str) -> list[PairingRow]:
        """All matches that were drawn up for a tournament, in the order of its schedule.

        Raises:
            StoreError: there is no such tournament.
        """
        with self.reading() as connection:
            return match_queries.pairings(connection, tournament)

    def matches(self, *, tournament: str | None = None, limit: int | None = None) -> list[MatchRow]:
        """Attempts in the order in which they were begun; with ``limit`` the last ones."""
        with self.reading() as connection:
            return match_queries.matches(connection, tournament=tournament, limit=limit)

    def match(self, name: str) -> MatchRow:
        """One attempt by its id.

        Raises:
            StoreError: there is none.
        """
        with self.reading() as connection:
            return match_queries.match(connection, name)

    def replay(self, match: str) -> bytes:
        """The replay document of a match.

        Raises:
            StoreError: there is no such match, or it has none (in play, or voided by a crash).
        """
        with self.reading() as connection:
            return match_queries.replay(connection, match)

    def replays(self, tournament: str | None = None) -> Iterator[tuple[str, bytes]]:
        """Match ids with their replay documents, in the order in which they were begun.

        All that there are, or those of one tournament.
        """
        with self.reading() as connection:
            names = match_queries.replay_names(connection, tournament)
        for name in names:
            yield name, self.replay(name)

    def ladder_matches(self, game: str, players: int) -> list[tuple[str, ...]]:
        """The bots by seat of all ladder matches of a game with a number of players, in order."""
        with self.reading() as connection:
            return ladder_history.ladder_matches(connection, game, players)

    def last_ladder_number(self) -> int:
        """The number of the last ladder match, 0 before the first."""
        with self.reading() as connection:
            return ladder_history.last_ladder_number(connection)

    def ladder_outcomes(self) -> list[Outcome]:
        """What became of each bot's ladder matches since it was last put back, as they ended."""
        with self.reading() as connection:
            return list(ladder_history.ladder_outcomes(connection))

    def strengths(self, pool: Pool, names: Collection[str] | None = None) -> dict[str, BotStrength]:
        """What is known of bots by name, of all of a pool without ``names``."""
        with self.reading() as connection:
            return ladder_history.strengths(connection, pool, names)

    def ratings(
        self, *, game: str | None = None, players: int | None = None, system: str | None = None
    ) -> list[RatingRow]:
        """Present ratings by game, number of players and system, the highest first."""
        with self.reading() as connection:
            return current_ratings.ratings(connection, game=game, players=players, system=system)

    def version_ratings(
        self,
        *,
        game: str | None = None,
        players: int | None = None,
        system: str | None = None,
        bot: str | None = None,
    ) -> list[VersionRow]:
        """Ratings of bots' versions, the oldest of each bot first."""
        with self.reading() as connection:
            return current_ratings.version_ratings(
                connection, game=game, players=players, system=system, bot=bot
            )
