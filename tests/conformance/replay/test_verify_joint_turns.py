"""Replays of matches with joint turns and deals: what was played holds, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trio
from msgspec.structs import replace
from tests.games.example_games import example_games
from tests.scripted import Leave, Reply, ScriptedSeat, Silence
from tests.scripted.scripted_seat import Action
from trio.testing import MockClock

from polynya_conformance.replay.text_form import as_text
from polynya_conformance.replay.text_reader import read_text
from polynya_conformance.replay.verify import differences
from polynya_games import load
from polynya_protocol.messages import Clock
from polynya_server.match.match_setup import create_initial_state, with_deal
from polynya_server.match.referee import Referee
from polynya_server.match.result import match_record
from polynya_server.match.seat import Fault
from polynya_server.match.time_control import MatchClock
from polynya_server.records import MatchRecord, MatchSetup, TurnRecord

__all__ = ["example_games"]

SECOND = Clock(initial_ms=5000, increment_ms=10)


def record_of(
    *scripts: Sequence[Action], game: str = "goofspiel", options: Any = None
) -> MatchRecord:
    names = ("ann", "bob", "cid", "dot")[: len(scripts)]
    given = MatchSetup(
        match="m",
        game=game,
        players=names,
        clock=SECOND,
        seed=7,
        options=options or {"cards": 3},
    )
    setup = with_deal(load, given)
    state, all_options = create_initial_state(load, setup)
    seats = [ScriptedSeat(script) for script in scripts]
    referee = Referee(state, seats, MatchClock(SECOND, len(seats)), 0, is_plain=False)
    initial = state.to_json()
    trio.run(referee.play, clock=MockClock(autojump_threshold=0))
    return match_record(setup, all_options, initial, [None] * len(seats), 0, referee)


def bids(*cards: int, after_ms: float = 20) -> list[Reply]:
    return [Reply([["bid", card]], after_ms) for card in cards]


def finished() -> MatchRecord:
    return record_of(bids(1, 2), bids(3, 1, after_ms=50), bids(2, 3))


def with_a_forfeit() -> MatchRecord:
    return record_of(bids(9), bids(3, 1), bids(2, 3))


def all_gone() -> MatchRecord:
    return record_of(bids(9), bids(8))


def with_a_slow_seat() -> MatchRecord:
    """The answer that is told first came last, more than a second after the others were asked."""
    return record_of(bids(1, 2, after_ms=2000), bids(3, 1), bids(2, 3))


def with_a_timeout() -> MatchRecord:
    return record_of([Silence()], bids(3, 1), bids(2, 3))


def all_but_one_resigned() -> MatchRecord:
    leave = [Leave(Fault("resigned", "it resigned"), after_ms=100)]
    return record_of(bids(1), leave, leave)


def two_resigned_beside_one_that_is_out() -> MatchRecord:
    """Snakes: the first goes out in turn 2, and in turn 3 all but the last resign."""

    def moves(*ways: str) -> list[Action]:
        return [Reply([["move", way]], 20) for way in ways]

    leave: list[Action] = [*moves("up", "right"), Leave(Fault("resigned", "it resigned"), 100)]
    return record_of(
        moves("up", "down"), leave, leave, moves("up", "right"), game="snakes", options={"size": 7}
    )


ENDINGS = [
    finished,
    with_a_forfeit,
    all_gone,
    with_a_slow_seat,
    with_a_timeout,
    all_but_one_resigned,
    two_resigned_beside_one_that_is_out,
]


@pytest.mark.parametrize("play", ENDINGS)
def test_a_match_as_it_was_played_holds(play: Callable[[], MatchRecord]) -> None:
    assert differences(play()) == []


@pytest.mark.parametrize("play", ENDINGS)
def test_the_text_form_gives_the_same_match(play: Callable[[], MatchRecord]) -> None:
    record = play()
    read = read_text(as_text(record).encode(), "it")
    assert differences(read) == []
    assert as_text(record) == as_text(read)


def test_another_deal_does_not_hold() -> None:
    record = finished()
    changed = replace(record, setup=replace(record.setup, deal="00" * 31 + "09"))
    assert differences(changed) != []


def test_another_step_does_not_hold() -> None:
    record = finished()
    events = list(record.events)
    first = events[0]
    assert isinstance(first, TurnRecord)
    events[0] = replace(first, steps=[["bid", 3]])
    assert differences(replace(record, events=events)) != []


def test_a_charge_that_the_budgets_contradict_does_not_hold() -> None:
    record = finished()
    events = list(record.events)
    first = events[0]
    assert isinstance(first, TurnRecord)
    events[0] = replace(first, charged_ms=first.charged_ms + 1)
    assert any("budgets" in one for one in differences(replace(record, events=events)))
