"""What publishing asks of an open database, as methods: ratings, submissions, hidden results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path

import sqlalchemy as sa

from polynya_tournaments.store.tournaments import rating_history, tournament_terms
from polynya_tournaments.store.tournaments.rating_history import Step
from polynya_tournaments.store.tournaments.tournament_terms import Terms
from polynya_tournaments.store.visibility import publishing


class Publishing(ABC):
    """The part of a store that reports, and freeze and reveal, are made with.

    Attributes:
        path: the database's file.
    """

    path: Path

    @abstractmethod
    def reading(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that only reads."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that may write."""

    def rating_steps(self, tournament: str) -> dict[str, tuple[Step, ...]]:
        """What each rated match of a tournament did to the ratings, by match and seat."""
        with self.reading() as connection:
            return rating_history.rating_steps(connection, tournament)

    def submissions(self, tournament: str) -> dict[str, str | None]:
        """What each bot ran when submissions closed, None for who has not said so, by name."""
        with self.reading() as connection:
            return publishing.submissions(connection, tournament)

    def results_from_ms(self, tournament: str) -> int | None:
        """From when on results may be told, ms since 1970; None for at once."""
        with self.reading() as connection:
            return publishing.results_from_ms(connection, tournament)

    def terms(self, tournament: str) -> Terms:
        """What is said of a tournament beside its results."""
        with self.reading() as connection:
            return tournament_terms.terms(connection, tournament)

    def set_closes(self, tournament: str, closes_ms: int | None) -> None:
        """Record when submissions close, ms since 1970; None for never."""
        with self.writing() as connection:
            tournament_terms.set_closes(connection, tournament, closes_ms)

    def set_logs(self, tournament: str, folder: Path | None) -> None:
        """Keep in mind where the logs of its bots are; None for the folder beside the database."""
        with self.writing() as connection:
            publishing.set_logs(connection, tournament, None if folder is None else str(folder))

    def log_folders(self, bot: str) -> list[Path]:
        """Where logs of a bot may be: beside the database, and where its tournaments say."""
        with self.reading() as connection:
            folders = publishing.logs_of(connection, bot)
        return [Path(f"{str(self.path).removesuffix('.sqlite')}-logs"), *map(Path, folders)]

    def hide_results(self, tournament: str, until_ms: int | None) -> None:
        """Tell results from then on, ms since 1970; None for at once."""
        with self.writing() as connection:
            publishing.hide_results(connection, tournament, until_ms)
