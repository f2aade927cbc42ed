"""What pages ask of an open database, as methods: lists by the page, ladders, bots, progress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

import sqlalchemy as sa

from polynya_tournaments.errors import NotInStoreError
from polynya_tournaments.ratings.book import Pool
from polynya_tournaments.store.bots import bot_profiles
from polynya_tournaments.store.bots.bot_profiles import Opponent, Place, RatingPoint
from polynya_tournaments.store.bots.registered_bots import now_ms
from polynya_tournaments.store.ladder import ladder_pages
from polynya_tournaments.store.ladder.ladder_pages import LadderPage
from polynya_tournaments.store.matches import match_pages, match_queries
from polynya_tournaments.store.matches.match_list import MatchFilter
from polynya_tournaments.store.matches.match_pages import MatchPage, ScheduleRow
from polynya_tournaments.store.rows import BotRow, MatchRow
from polynya_tournaments.store.tournaments import planning, tournament_progress
from polynya_tournaments.store.tournaments.tournament_progress import Progress
from polynya_tournaments.store.visibility.publicity import told


class Browsing(ABC):
    """The part of a store that pages read; each method is one transaction.

    Attributes:
        live_delay_ms: how much later than it happens pages tell what happens in matches.
    """

    live_delay_ms: int

    @abstractmethod
    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that only reads."""

    def _told_ms(self) -> int | None:
        """Until when pages tell what happened, ms since 1970; None for until now."""
        return now_ms() - self.live_delay_ms if self.live_delay_ms else None

    def public_match(self, name: str) -> MatchRow:
        """A match by its id, without its result if that is hidden; as it was ``live_delay_ms`` ago.

        Raises:
            NotInStoreError: there is none.
        """
        told_ms = self._told_ms()
        with self.reading() as connection:
            row = match_queries.match(connection, name)
        if told_ms is not None and row.started_ms > told_ms:
            raise NotInStoreError(f"the database holds no match {name}")
        return told(row, told_ms)

    def match_page(
        self,
        wanted: MatchFilter,
        *,
        newer_than: str | None = None,
        older_than: str | None = None,
        size: int = 50,
    ) -> MatchPage:
        """Some of the matches asked for, the last first; the next page begins where this ends.

        Raises:
            StoreError: no such tournament, or the place is not one that a page names.
        """
        with self.reading() as connection:
            return match_pages.match_page(
                connection,
                wanted,
                newer_than=newer_than,
                older_than=older_than,
                size=size,
                told_ms=self._told_ms(),
            )

    def schedule_page(
        self, tournament: str, *, page: int = 1, size: int = 50
    ) -> tuple[ScheduleRow, ...]:
        """A page of a tournament's schedule, from 1; empty behind its end.

        Raises:
            StoreError: there is no such tournament.
        """
        with self.reading() as connection:
            return match_pages.schedule_page(
                connection, tournament, page=page, size=size, told_ms=self._told_ms()
            )

    def pools(self) -> list[Pool]:
        """What there are ratings for, by game and number of players."""
        with self.reading() as connection:
            return ladder_pages.pools(connection)

    def ladder_page(self, pool: Pool, *, page: int = 1, size: int = 50) -> LadderPage:
        """A page of a ladder, from 1, the best first; without lines behind its end."""
        with self.reading() as connection:
            return ladder_pages.ladder_page(connection, pool, page=page, size=size)

    def places(self, bot: str) -> list[Place]:
        """Where a bot stands, by game and number of players; nowhere if there is no such bot."""
        with self.reading() as connection:
            return bot_profiles.places(connection, bot)

    def forfeits(self, bot: str) -> dict[str, int]:
        """How often a bot has forfeited, by the contract's word for why."""
        with self.reading() as connection:
            return bot_profiles.forfeits(connection, bot, self._told_ms())

    def forfeited(self, bot: str, most: int = 10) -> list[str]:
        """The last matches that a bot forfeited, by their ids, the last one first."""
        with self.reading() as connection:
            return bot_profiles.forfeited(connection, bot, most)

    def bot(self, name: str) -> BotRow:
        """A bot by its name.

        Raises:
            NotInStoreError: there is none.
        """
        with self.reading() as connection:
            return bot_profiles.bot(connection, name)

    def token_hash(self, bot: str) -> bytes | None:
        """SHA-256 of a bot's token; None without one."""
        with self.reading() as connection:
            return bot_profiles.token_hash(connection, bot)

    def opponents(self, bot: str, pool: Pool) -> list[Opponent]:
        """Who a bot has met in its last matches, those met most often first."""
        with self.reading() as connection:
            return bot_profiles.opponents(connection, bot, pool, self._told_ms())

    def rating_history(self, bot: str, pool: Pool, most: int = 500) -> list[RatingPoint]:
        """A bot's rating over its matches, ``most`` of them at the most, evenly chosen."""
        with self.reading() as connection:
            return bot_profiles.rating_history(connection, bot, pool, most, self._told_ms())

    def is_planned(self, tournament: str, configuration: str, late_entry: str = "no") -> bool:
        """Whether a tournament is recorded, with ``configuration`` as what determines its matches.

        Raises:
            StoreError: there is one of this name with another description; the message says in
                what it differs.
        """
        with self.reading() as connection:
            return planning.planned(connection, tournament, configuration, late_entry) is not None

    def progress(self, tournament: str) -> Progress:
        """How far a tournament has come.

        Raises:
            NotInStoreError: there is no such tournament.
        """
        with self.reading() as connection:
            return tournament_progress.progress(connection, tournament)

    def forfeits_in(self, tournament: str) -> dict[str, dict[str, int]]:
        """How often each bot has forfeited in a tournament, by the contract's word for why.

        Raises:
            NotInStoreError: there is no such tournament.
        """
        with self.reading() as connection:
            return tournament_progress.forfeits_in(connection, tournament)
