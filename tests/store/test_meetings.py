"""The place of a match in its tournament: its meeting, and its neighbours in the round."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.web.pages.test_tournament_pages import settings
from tests.web.pages.test_tournament_verdict import CUP, first_name_wins, played

from polynya_store import MatchFilter, Store

LATER_MS = 4_000_000_000_000


async def test_meeting_has_the_matches_of_its_bots_with_their_points(tmp_path: Path) -> None:
    cup = msgspec.structs.replace(CUP, format="knockout", swiss=None, knockout=settings("knockout"))
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        final = store.matches.page(MatchFilter(tournament="cup")).rows[0]
        meeting = store.tournaments.meeting_of(final.match)
        assert meeting is not None
        names = {tuple(sorted(seat.name for seat in row.seats)) for row in meeting.rows}
        assert names == {tuple(sorted(meeting.players))}
        assert final.match in [row.match for row in meeting.rows]
        points = dict(zip(meeting.players, meeting.points, strict=True))
        assert sorted(points.values()) == [0.0, len(meeting.rows)]
        assert points[min(points)] == len(meeting.rows)


async def test_neighbours_are_of_the_same_round_and_of_other_meetings(tmp_path: Path) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins)
        rows = store.matches.page(MatchFilter(tournament="cup")).rows[::-1]
        first = store.tournaments.meeting_of(rows[0].match)
        assert first is not None
        assert first.before is None
        assert first.after is not None
        neighbour = store.tournaments.meeting_of(first.after)
        assert neighbour is not None
        assert neighbour.round == first.round
        assert set(neighbour.players) != set(first.players)
        assert neighbour.before in [row.match for row in first.rows]


async def test_meeting_of_hidden_results_has_no_points(tmp_path: Path) -> None:
    cup = msgspec.structs.replace(CUP, format="round_robin", swiss=None)
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        await played(cup, store, first_name_wins, results_from_ms=LATER_MS)
        meeting = store.tournaments.meeting_of("cup-1")
        assert meeting is not None
        assert meeting.points == (0.0, 0.0)


def test_match_of_no_tournament_has_no_meeting(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.sqlite", for_play=True) as store:
        assert store.tournaments.meeting_of("unknown") is None
