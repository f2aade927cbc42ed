"""The log leaves standard output alone, and counts events that a peer can cause at will."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import capture_logs

from polynya_server.log import MAX_IN_WINDOW, MAX_KINDS, WINDOW_S, Log, RepeatedEvents

PROGRAM = """
import trio
from polynya_server import MemoryJournal, ServerSettings, open_server
from polynya_server.log import log

async def main():
    async with open_server(ServerSettings(hello_ms=1), MemoryJournal()) as server:
        stream = await trio.open_tcp_stream(server.host, server.port)
        async with stream:
            while await stream.receive_some():
                pass
    log.info("not worth a line")
    log.warning("worth one", bot="ada")

trio.run(main)
print("mine")
"""


def test_a_program_that_sets_no_log_up_has_standard_output_for_itself() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=True
    )
    assert ran.stdout == "mine\n"
    assert "worth one" in ran.stderr
    assert "bot=ada" in ran.stderr
    assert "not worth a line" not in ran.stderr


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before, was_set_up = structlog.get_config(), structlog.is_configured()
    yield
    structlog.reset_defaults()
    if was_set_up:
        structlog.configure(**before)


def set_up(level: int) -> io.StringIO:
    """What is logged from now on, at this level and above."""
    text = io.StringIO()
    structlog.configure(
        processors=[structlog.processors.KeyValueRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(text),
    )
    return text


def test_the_log_may_be_set_up_anew_at_any_time() -> None:
    log = Log()
    first = set_up(logging.INFO)
    log.info("one")
    log.debug("too little")
    second = set_up(logging.DEBUG)
    log.debug("two")
    assert first.getvalue() == "event='one'\n"
    assert second.getvalue() == "event='two'\n"


def test_log_can_be_captured() -> None:
    log = Log()
    text = set_up(logging.INFO)
    log.info("before")
    with capture_logs() as captured:
        log.info("meanwhile", bot="ada")
    log.info("after")
    assert captured == [{"event": "meanwhile", "bot": "ada", "log_level": "info"}]
    assert text.getvalue() == "event='before'\nevent='after'\n"


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
