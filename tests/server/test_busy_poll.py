"""How long the pump looks for bytes again before it sleeps."""

from __future__ import annotations

from polynya_server.busy_poll import MOST_NS, BusyPoll


def test_nothing_is_searched_for_at_first() -> None:
    assert BusyPoll().search_ns == 0


def test_nothing_is_searched_for_after_long_sleeps() -> None:
    busy_poll = BusyPoll()
    for _ in range(100):
        busy_poll.slept(MOST_NS)
    assert busy_poll.search_ns == 0


def test_short_sleeps_are_replaced_by_a_search_of_limited_length() -> None:
    busy_poll = BusyPoll()
    lengths = []
    for _ in range(8):
        busy_poll.slept(MOST_NS - 1)
        lengths.append(busy_poll.search_ns)
    quarter = MOST_NS // 4
    assert lengths == [0, 0, quarter, 2 * quarter, 3 * quarter, MOST_NS, MOST_NS, MOST_NS]


def test_short_sleeps_among_long_ones_are_chance() -> None:
    busy_poll = BusyPoll()
    for _ in range(10):
        for ns in (0, 0, MOST_NS):
            busy_poll.slept(ns)
    assert busy_poll.search_ns == 0


def test_a_search_that_finds_something_may_last_longer_next_time() -> None:
    busy_poll = BusyPoll()
    busy_poll.found()
    before_ns = busy_poll.search_ns
    busy_poll.found()
    assert busy_poll.search_ns > before_ns


def test_searches_that_find_nothing_soon_cease() -> None:
    busy_poll = BusyPoll()
    for _ in range(10):
        busy_poll.found()
    lengths = [busy_poll.search_ns]
    while busy_poll.search_ns:
        busy_poll.missed()
        lengths.append(busy_poll.search_ns)
    assert lengths == [60_000, 30_000, 15_000, 7_500, 0]
