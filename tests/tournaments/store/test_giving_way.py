"""Giving way: to whoever wants the processor, and for how long in a batch."""

from __future__ import annotations

from contextlib import closing

import pytest

from polynya_tournaments.store.writer.giving_way import CourteousConnection, Courtesy


class Others:
    """They have the processor for so many seconds each time that they may."""

    def __init__(self, seconds: float) -> None:
        self.turns = 0
        self._seconds = seconds
        self.courtesy = Courtesy(self._run, lambda: self.turns * self._seconds)

    def _run(self) -> None:
        self.turns += 1

    def batch(self, statements: int) -> None:
        self.courtesy.begin()
        for _ in range(statements):
            self.courtesy.give_way()


@pytest.mark.parametrize(("seconds", "turns"), [(0.02, 3), (0.01, 5), (1, 1)])
def test_others_have_the_processor_for_50_ms_of_a_batch_and_then_it_is_written(
    seconds: float, turns: int
) -> None:
    others = Others(seconds)
    others.batch(statements=100)
    assert others.turns == turns


def test_each_batch_gives_way_anew() -> None:
    others = Others(0.02)
    others.batch(statements=100)
    others.batch(statements=100)
    assert others.turns == 6


def test_where_nobody_wants_the_processor_all_statements_give_way() -> None:
    others = Others(0)
    others.batch(statements=100)
    assert others.turns == 100


def test_nothing_gives_way_before_the_first_batch() -> None:
    others = Others(0)
    others.courtesy.give_way()
    assert others.turns == 0


def test_a_connection_gives_way_before_each_statement() -> None:
    others = Others(0)
    others.courtesy.begin()
    with closing(CourteousConnection(others.courtesy, ":memory:")) as connection:
        assert connection.execute("SELECT ? + 1", (1,)).fetchall() == [(2,)]
        assert connection.execute("SELECT 3").fetchall() == [(3,)]
    assert others.turns == 2
