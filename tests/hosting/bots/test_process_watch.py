"""What a process used, turn by turn: from samples of the time that it was on a core."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import trio

from polynya_common.process_report import ProcessReport, cpu_words, turns_words
from polynya_contest.config.builtin_bots import BotCommand
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.process_watch import ProcessWatch, Span

MS = 1_000_000


def sampled(*samples: tuple[int, int]) -> tuple[ProcessWatch, int]:
    """A process with these samples: the time in ms, and the processor time up to it in ms.

    Returns:
        the process, and the moment 0 in ns since 1970.
    """
    watch = ProcessWatch("ann", 1, "none", None)
    before_ms = 0
    for at_ms, cpu_ms in samples:
        watch.note_used(before_ms * MS, at_ms * MS, cpu_ms * 1000)
        before_ms = at_ms
    return watch, watch.since_1970_ns


def test_processor_time_of_a_sample_counts_for_the_turns_in_it_by_their_length() -> None:
    watch, zero = sampled((0, 0), (200, 60), (400, 160))
    turns = [
        (1, Span(zero + 10 * MS, zero + 20 * MS)),
        (3, Span(zero + 50 * MS, zero + 70 * MS)),
        (5, Span(zero + 300 * MS, zero + 400 * MS)),
    ]
    assert watch.cpu_ms(turns) == [(1, 20), (3, 40), (5, 100)]


def test_turn_that_lasts_for_several_samples_gets_all_of_them() -> None:
    watch, zero = sampled((0, 0), (200, 200), (400, 390), (600, 391))
    turns = [(2, Span(zero, zero + 400 * MS)), (4, Span(zero + 500 * MS, zero + 600 * MS))]
    assert watch.cpu_ms(turns) == [(2, 390), (4, 1)]


def test_processor_time_outside_of_turns_counts_for_none() -> None:
    watch, zero = sampled((0, 0), (200, 150), (400, 160))
    assert watch.cpu_ms([(2, Span(zero + 250 * MS, zero + 300 * MS))]) == [(2, 10)]


def test_samples_are_dropped_when_the_matches_that_need_them_have_ended() -> None:
    watch, zero = sampled((0, 0), (200, 60))
    turns = [(1, Span(zero, zero + 200 * MS))]
    watch.forget_samples(["cup-1"])
    watch.forget_samples(["cup-1", "cup-2"])
    assert watch.cpu_ms(turns) == [(1, 60)]
    watch.forget_samples(["cup-2"])
    assert watch.cpu_ms(turns) == [(1, 0)]


def test_samples_stay_while_a_report_is_due() -> None:
    watch, zero = sampled((0, 0), (200, 60))
    watch.forget_samples(["cup-1"])
    watch.reports_due = 1
    watch.forget_samples([])
    assert watch.cpu_ms([(1, Span(zero, zero + 200 * MS))]) == [(1, 60)]


def test_uncounted_process_has_no_times() -> None:
    watch, _ = sampled()
    assert watch.cpu_ms([(1, Span(0, 1))]) == []


async def test_guard_counts_the_bot_and_what_it_has_started(tmp_path: Path) -> None:
    program = """
import os, time
child = os.fork()
end = time.process_time() + 0.3
while time.process_time() < end: pass
if child:
    os.waitpid(child, 0)
    print('done', flush=True)
    time.sleep(1000)
time.sleep(1)
"""
    watch = ProcessWatch("ann", 1, "none", None)
    log = BotLog(None)
    begun_ns = time.time_ns()
    async with trio.open_nursery() as nursery:
        command = BotCommand((sys.executable, "-c", program), {}, str(tmp_path))

        async def run() -> None:
            await run_bot("ann", command, {}, log, watch=watch)

        nursery.start_soon(run)
        with trio.fail_after(120):
            while "done" not in log.last_lines():
                await trio.sleep(0.01)
            await watch.newly_sampled()
        [(_, used_ms)] = watch.cpu_ms([(1, Span(begun_ns, time.time_ns()))])
        nursery.cancel_scope.cancel()
    assert 550 <= used_ms < 900


def test_report_is_told_in_words() -> None:
    report = ProcessReport(cpu_ms=[(1, 100), (3, 500), (5, 30)], last_received="the move of turn 3")
    assert cpu_words(report) == "210 ms a turn, at most 500 ms in turn 3, 30 ms in its last turn"
    assert turns_words(report) == (
        "its last message was the move of turn 3; processor time: 210 ms a turn, at most 500 ms in "
        "turn 3, 30 ms in its last turn"
    )
    assert turns_words(ProcessReport()) == "it sent no answer"
