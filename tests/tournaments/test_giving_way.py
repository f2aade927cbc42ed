"""Giving way: real processes on one processor."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from polynya_tournaments.store.giving_way import CourteousConnection, Courtesy

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="processes cannot be put on one processor"
)

ON_ONE_PROCESSOR = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})"

BUSY = f"{ON_ONE_PROCESSOR}; print(flush=True)\nwhile True: pass"

COURTEOUS = f"""
{ON_ONE_PROCESSOR}
from polynya_tournaments.store.giving_way import Courtesy
courtesy, calls = Courtesy(), 0
courtesy.begin()
while not courtesy.is_over:
    courtesy.give_way()
    calls += 1
print(calls)
"""


def test_a_process_that_wants_the_processor_has_it_until_enough_was_given() -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as busy:
        assert busy.stdout is not None
        busy.stdout.readline()
        calls = subprocess.run(
            [sys.executable, "-c", COURTEOUS], capture_output=True, check=True, timeout=60
        )
        busy.kill()
    # Where nobody wants it a call takes a microsecond, and 50 ms some ten thousand.
    assert int(calls.stdout) < 1_000


def test_each_batch_gives_way_anew() -> None:
    courtesy = Courtesy()
    assert courtesy.is_over
    courtesy.begin()
    assert not courtesy.is_over


def test_a_courteous_connection_does_what_others_do() -> None:
    courtesy = Courtesy()
    courtesy.begin()
    connection = CourteousConnection(courtesy, ":memory:")
    assert connection.execute("SELECT ? + 1", (1,)).fetchall() == [(2,)]
    connection.close()
