"""Which of the events that a peer can cause at will are logged."""

from __future__ import annotations

from polynya_server.repeated_events import MAX_IN_WINDOW, MAX_KINDS, WINDOW_S, RepeatedEvents


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_first_events_of_a_window_are_logged_and_then_each_power_of_ten() -> None:
    events = RepeatedEvents(Clock())
    counted = [events.count("no hello") for _ in range(10_000)]
    logged = {number: fields for number, fields in enumerate(counted, 1) if fields is not None}
    assert logged == {
        **{number: {} for number in range(1, MAX_IN_WINDOW + 1)},
        100: {"times": 100},
        1_000: {"times": 1_000},
        10_000: {"times": 10_000},
    }


def test_next_window_begins_with_the_count_of_the_last_one() -> None:
    clock = Clock()
    events = RepeatedEvents(clock)
    for _ in range(77):
        events.count("no hello")
    clock.now = WINDOW_S
    assert [events.count("no hello") for _ in range(2)] == [{"times": 77}, {}]


def test_quiet_window_is_not_counted() -> None:
    clock = Clock()
    events = RepeatedEvents(clock)
    events.count("no hello")
    clock.now = WINDOW_S
    assert events.count("no hello") == {}


def test_each_bot_has_a_count_of_its_own() -> None:
    events = RepeatedEvents(Clock())
    for _ in range(MAX_IN_WINDOW):
        events.count("a bot is connected", "ann")
    assert events.count("a bot is connected", "ann") is None
    assert events.count("a bot is connected", "bob") == {}


def test_kinds_beyond_the_latest_ones_are_forgotten() -> None:
    events = RepeatedEvents(Clock())
    for number in range(MAX_KINDS + 1):
        for _ in range(2):
            events.count("a bot is connected", number)
    assert len(events._windows) == MAX_KINDS
