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
    for _ in range(6):
        busy_poll.slept(MOST_NS - 1)
        lengths.append(busy_poll.search_ns)
    assert lengths == [MOST_NS // 4, MOST_NS // 2, 3 * MOST_NS // 4, MOST_NS, MOST_NS, MOST_NS]


def test_a_search_that_finds_something_may_last_longer_next_time() -> None:
    busy_poll = BusyPoll()
    busy_poll.slept(0)
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
