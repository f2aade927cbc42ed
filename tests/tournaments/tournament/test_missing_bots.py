"""How long a tournament waits for a bot: once, however often it comes and goes."""

from __future__ import annotations

import math

from polynya_tournaments.tournament.missing_bots import AbsenceClock


def test_a_bot_is_absent_when_its_time_is_over() -> None:
    absence = AbsenceClock(300)
    absence.note(10, ["a", "b"])
    absence.note(200, ["a"])
    assert (absence.absent, absence.next_s) == (set(), 110)
    absence.note(310, ["a"])
    assert (absence.absent, absence.next_s) == ({"a"}, math.inf)


def test_coming_and_going_does_not_begin_the_time_anew() -> None:
    absence = AbsenceClock(300)
    absence.note(0, ["a"])
    absence.note(290, [])
    absence.note(400, ["a"])
    absence.note(410, ["a"])
    assert absence.absent == {"a"}


def test_a_match_that_was_played_does() -> None:
    absence = AbsenceClock(300)
    absence.note(0, ["a"])
    absence.note(290, [])
    absence.played(["a"])
    absence.note(300, ["a"])
    assert (absence.absent, absence.next_s) == (set(), 300)


def test_a_bot_that_is_there_is_not_absent() -> None:
    absence = AbsenceClock(300)
    absence.note(0, ["a"])
    absence.note(301, [])
    assert absence.absent == set()
