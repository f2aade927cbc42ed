"""The stage of a match in its tournament, in words: ``Final, best of 3, 1 : 0``."""

from __future__ import annotations

from collections.abc import Iterable

from polynya_store import MatchRow, Meeting, Store
from polynya_store.tournaments.open_pairings import DROPPED
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.contest_names import round_name
from polynya_web.content.front.overview import round_of
from polynya_web.content.texts import Texts
from polynya_web.content.tournaments.table_order import ELIMINATIONS
from polynya_web.content.tournaments.tournament_cache import TournamentCache


async def stages(
    ask: DatabaseThreads, store: Store, cache: TournamentCache, rows: Iterable[MatchRow], t: Texts
) -> dict[str, str]:
    """The stages of the matches of tournaments among some, by match."""
    found: dict[str, str] = {}
    for row in rows:
        meeting = await ask(store.tournaments.meeting_of, row.match) if row.tournament else None
        if meeting is not None and row.block is not None:
            table = (await cache.of(store, meeting.tournament)).standings
            name = round_name(round_of(table.rounds, row.block), t)
            found[row.match] = stage_words(meeting, row.match, name, table.format, t)
    return found


def stage_words(meeting: Meeting, match: str, round_: str, format_: str, t: Texts) -> str:
    """The round, how many matches the meeting takes, and its score so far.

    Args:
        meeting: of the match.
        match: its id.
        round_: the round, as readers call it.
        format_: of the tournament.
        t: the texts.
    """
    rows = [row for row in meeting.rows if row.state != DROPPED]
    parts = [round_]
    if len(rows) > 1 and format_ in ELIMINATIONS:
        parts.append(t("stage.best_of", number=len(rows)))
    elif len(rows) > 1:
        number = next((at for at, row in enumerate(rows, 1) if row.match == match), 1)
        parts.append(t("stage.number", number=number, of=len(rows)))
    if len(rows) > 1:
        parts.append(" : ".join(t.number(points) for points in meeting.points))
    return ", ".join(parts)
