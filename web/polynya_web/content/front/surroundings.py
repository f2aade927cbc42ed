"""The surroundings of a match: its stage, and the matches before and after it."""

from __future__ import annotations

from dataclasses import dataclass

from polynya_store import MatchRow, Meeting, Store
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.contest_names import round_name
from polynya_web.content.front.overview import round_of
from polynya_web.content.front.stages import stage_words
from polynya_web.content.texts import Texts
from polynya_web.content.tournaments.tournament_cache import TournamentCache


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The neighbours of a match of a tournament: ids, None where there is none.

    Attributes:
        tournament: its name.
        stage: the stage of the match, in words.
        before, after: the matches on either side in its meeting.
        round_before, round_after: those of other meetings in its round.
    """

    tournament: str
    stage: str
    before: str | None
    after: str | None
    round_before: str | None
    round_after: str | None


async def surroundings(
    ask: DatabaseThreads, store: Store, cache: TournamentCache, row: MatchRow, t: Texts
) -> Surroundings | None:
    """The surroundings of a match; None of a ladder's match."""
    meeting = await ask(store.tournaments.meeting_of, row.match) if row.tournament else None
    if meeting is None or row.block is None:
        return None
    table = (await cache.of(store, meeting.tournament)).standings
    name = round_name(round_of(table.rounds, row.block), t)
    before, after = _in_meeting(meeting, row.match)
    return Surroundings(
        meeting.tournament,
        stage_words(meeting, row.match, name, table.format, t),
        before,
        after,
        meeting.before,
        meeting.after,
    )


def _in_meeting(meeting: Meeting, match: str) -> tuple[str | None, str | None]:
    begun = [row.match for row in meeting.rows if row.match is not None]
    if match not in begun:
        return None, None
    place = begun.index(match)
    after = begun[place + 1] if place + 1 < len(begun) else None
    return (begun[place - 1] if place else None), after
