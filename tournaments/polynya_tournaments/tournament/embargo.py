"""The embargo on results: from which time on they are shown."""

from __future__ import annotations

from datetime import UTC, datetime

from polynya_common.errors import TournamentError
from polynya_common.text import moment
from polynya_store import Store


def is_active(results_from: datetime | None) -> bool:
    """Whether results that are shown from this time on are hidden now."""
    return results_from is not None and datetime.now(UTC) < results_from


def milliseconds(at: datetime | None) -> int | None:
    """A moment in ms since 1970, as the database has it."""
    return None if at is None else round(at.timestamp() * 1000)


def hidden_until(store: Store, tournament: str) -> str | None:
    """The time from which results are shown, in UTC; None if they are shown now.

    Raises:
        StoreError: there is no such tournament.
    """
    until_ms = store.tournaments.hidden_until_ms(tournament)
    return None if until_ms is None else moment(until_ms)


def require_revealed(store: Store, tournament: str, *, reveal: bool) -> None:
    """Refuse to show results before their time, unless the host reveals them.

    Raises:
        TournamentError: they are hidden; the message says until when.
    """
    until = hidden_until(store, tournament)
    if until is not None and not reveal:
        raise TournamentError(
            f"the results of {tournament} are hidden until {until}; --reveal shows them to you"
        )
