"""When the pump looks for bytes again instead of sleeping."""

from __future__ import annotations

import pytest

from polynya_server.transport.busy_poll import AWAKE_NS, ROUND_NS, WINDOW_NS, BusyPoll

BEGIN_NS = 10**15
"""Some moment of the clock on the wall."""
END_NS = BEGIN_NS + WINDOW_NS
HALF_NS = WINDOW_NS // 2


class Thread:
    """A thread whose processor time is what the test says."""

    def __init__(self) -> None:
        self.used_ns = 10**12

    def read(self) -> int:
        """Its processor time."""
        return self.used_ns


@pytest.fixture
def thread() -> Thread:
    """The loop's thread."""
    return Thread()


@pytest.fixture
def busy_poll(thread: Thread) -> BusyPoll:
    """Its window begins at BEGIN_NS."""
    busy_poll = BusyPoll(2, thread.read)
    busy_poll.served(BEGIN_NS)
    return busy_poll


def test_a_loop_that_has_just_begun_sleeps(busy_poll: BusyPoll) -> None:
    assert not busy_poll.is_awake(BEGIN_NS)


def test_a_loop_that_computed_for_half_of_the_window_sleeps(
    busy_poll: BusyPoll, thread: Thread
) -> None:
    thread.used_ns += HALF_NS
    busy_poll.served(END_NS)
    assert not busy_poll.is_awake(END_NS)


def test_a_loop_that_computed_for_more_than_half_of_the_window_stays_awake(
    busy_poll: BusyPoll, thread: Thread
) -> None:
    thread.used_ns += HALF_NS + 1
    busy_poll.served(END_NS)
    assert busy_poll.is_awake(END_NS)


def test_nothing_is_decided_before_the_window_ends(busy_poll: BusyPoll, thread: Thread) -> None:
    thread.used_ns += WINDOW_NS
    busy_poll.served(END_NS - 1)
    assert not busy_poll.is_awake(END_NS - 1)


def test_it_stays_awake_for_so_long_after_the_last_bytes(
    busy_poll: BusyPoll, thread: Thread
) -> None:
    thread.used_ns += WINDOW_NS
    busy_poll.served(END_NS)
    last_ns = END_NS + 1_000
    busy_poll.served(last_ns)
    assert busy_poll.is_awake(last_ns + AWAKE_NS - 1)
    assert not busy_poll.is_awake(last_ns + AWAKE_NS)


def test_looking_for_bytes_is_not_computing(busy_poll: BusyPoll, thread: Thread) -> None:
    thread.used_ns += HALF_NS + ROUND_NS
    busy_poll.missed(ROUND_NS)
    busy_poll.served(END_NS)
    assert not busy_poll.is_awake(END_NS)


def test_what_other_tasks_do_meanwhile_is_computing(busy_poll: BusyPoll, thread: Thread) -> None:
    thread.used_ns += HALF_NS + ROUND_NS + 1
    busy_poll.missed(WINDOW_NS)
    busy_poll.served(END_NS)
    assert busy_poll.is_awake(END_NS)


def test_a_loop_that_was_busy_sleeps_again_after_a_calm_window(
    busy_poll: BusyPoll, thread: Thread
) -> None:
    thread.used_ns += WINDOW_NS
    busy_poll.served(END_NS)
    busy_poll.served(END_NS + WINDOW_NS)
    assert not busy_poll.is_awake(END_NS + WINDOW_NS)


def test_each_window_is_looked_at_by_itself(busy_poll: BusyPoll, thread: Thread) -> None:
    thread.used_ns += HALF_NS + ROUND_NS
    busy_poll.missed(ROUND_NS)
    busy_poll.served(END_NS)
    thread.used_ns += HALF_NS + 1
    busy_poll.served(END_NS + WINDOW_NS)
    assert busy_poll.is_awake(END_NS + WINDOW_NS)


def test_a_loop_that_has_a_single_core_never_stays_awake(thread: Thread) -> None:
    busy_poll = BusyPoll(1, thread.read)
    busy_poll.served(BEGIN_NS)
    thread.used_ns += WINDOW_NS
    busy_poll.served(END_NS)
    assert not busy_poll.is_awake(END_NS)
