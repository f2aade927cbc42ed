"""Hostile outputs of engines: each is a sentence in time, and no process is left over."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polynya_foreign.adapters.gtp import GtpBot
from polynya_foreign.adapters.program import EngineFailed, Program
from polynya_foreign.adapters.uci import UciBot

SHORT_S = 0.6
"""The time for an engine that does not answer."""
PATIENT_S = 60.0
"""Only a broken adapter waits so long for one that says something."""
WAITED_FOR = {"silence", "endless lines", "stop", "deafness"}
HOSTILE = {
    "end": ("sys.exit(0)", "exit code 0"),
    "failure": ("sys.exit(3)", "exit code 3"),
    "signal": ("os.kill(os.getpid(), 9)", "SIGKILL"),
    "silence": ("time.sleep(60)", "in time"),
    "closed output": ("os.close(1); time.sleep(60)", "closed its output"),
    "endless lines": ("while True: say(b'x\\n')", "in time|are no answer"),
    "endless line": ("while True: say(b'x' * 4096)", "longer than"),
    "huge line": ("say(b'=' * 200_000 + b'\\n\\n'); time.sleep(60)", "longer than"),
    "zeros": ("say(bytes(100_000)); time.sleep(60)", "longer than"),
    "segmentation fault": ("os.kill(os.getpid(), 11)", "SIGSEGV"),
    "stop": ("os.kill(os.getpid(), 19)", "in time"),
    "deafness": (
        "signal.signal(15, signal.SIG_IGN); os.close(0); time.sleep(60)",
        "in time|closed",
    ),
}
WRONG = [
    b"", b"xyz", b"\x1b[2J", b"<script>", b"\xff\xfe", b"e2e5", b"e9e4", b"0000", b"(none)",
    b"e2e4e5", b"O-O", b"Z9", b"B Z9", b"A1 A2", b"null", b"[]", b"{}", b"-1", b"../../x",
    b"\x00", b"%s%n", b"a" * 5_000, "\u202egnp".encode(), "é".encode(), b"e7e5", b"e1g1",
]  # fmt: skip


def turn(seconds: float, **more: Any) -> Any:
    """A first turn of chess or Go with this time."""
    state = {
        "state": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "options": {"board_size": 5, "komi": "7.5", "handicap": 0},
        "history": [],
    }
    clock = SimpleNamespace(initial_ms=None, increment_ms=None)
    return SimpleNamespace(
        state=state, game="some game", info={}, match=SimpleNamespace(id="m1", clock=clock),
        deadline=time.monotonic() + seconds, remaining=seconds, remaining_ms=seconds * 1000,
        **more,
    )  # fmt: skip


def engine(kind: str, then: str) -> Program:
    """A program that does something hostile when it is asked for a move."""
    source = (
        "import os, signal, sys, time\n"
        "def say(text):\n os.write(1, text)\n"
        "for line in sys.stdin:\n"
        " if line.startswith(('go', 'genmove')):\n"
        f"  {then}\n"
        " elif line.startswith('isready'): say(b'readyok\\n')\n"
        f" elif {kind == 'gtp'}: say(b'= \\n\\n')\n"
    )
    return Program([sys.executable, "-S", "-c", source])


def answer(kind: str, program: Program, seconds: float = PATIENT_S) -> None:
    """Ask for a move."""
    if kind == "gtp":
        GtpBot(program).turn(turn(seconds, legal=[["play", "B a1"]]))
    else:
        UciBot(program, {}).turn(turn(seconds, legal=[["play", "e4"], ["play", "Nf3"]]))


@pytest.mark.parametrize("kind", ["gtp", "uci"])
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_engine_is_named_in_time_and_ends(kind: str, what: str) -> None:
    then, sentence = HOSTILE[what]
    begin = time.monotonic()
    with pytest.raises(EngineFailed, match=sentence), engine(kind, then) as program:
        answer(kind, program, SHORT_S if what in WAITED_FOR else PATIENT_S)
    assert time.monotonic() - begin < PATIENT_S
    with pytest.raises(ProcessLookupError):
        os.killpg(program.pid, 0)


@pytest.mark.parametrize("kind", ["gtp", "uci"])
def test_wrong_answers_are_no_legal_moves(kind: str) -> None:
    for wrong in WRONG:
        said = b"= " + wrong + b"\n\n" if kind == "gtp" else b"bestmove " + wrong + b"\n"
        with (
            pytest.raises(EngineFailed, match="no legal move") as failed,
            engine(kind, f"say({said!r})") as program,
        ):
            answer(kind, program)
        assert failed.value.farewell.isprintable()
        assert len(failed.value.farewell) < 500


@pytest.mark.parametrize("kind", ["gtp", "uci"])
def test_engine_that_leaves_its_output_to_children_is_named_and_they_end(
    kind: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "alive")
    alive = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    then = (
        f"os.open({str(tmp_path / 'alive')!r}, os.O_WRONLY); "
        "[time.sleep(60) for _ in range(9) if not os.fork()]; os._exit(4)"
    )
    with pytest.raises(EngineFailed, match="exit code 4"), engine(kind, then) as program:
        answer(kind, program, SHORT_S)
    # The pipe ends when the last process has closed it.
    assert select.select([alive], [], [], PATIENT_S)[0] == [alive]
    os.close(alive)


def test_adapter_that_is_ended_while_its_engine_starts_leaves_no_process(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "alive")
    source = (
        "import os, subprocess, sys, time\n"
        f"alive = os.open({str(tmp_path / 'alive')!r}, os.O_WRONLY)\n"
        "command = [sys.executable, '-S', '-c', 'import time; time.sleep(600)']\n"
        "child = subprocess.Popen(command, pass_fds=[alive])\n"
        "os.write(alive, b'up')\n"
        "time.sleep(600)\n"
    )
    adapter = [sys.executable, "-m", "polynya_foreign.adapters", "uci", "--"]
    with (
        subprocess.Popen([*adapter, sys.executable, "-S", "-c", source]) as process,
        (tmp_path / "alive").open("rb", buffering=0) as alive,
    ):
        assert alive.read(2) == b"up"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENT_S) == 128 + signal.SIGTERM
        # The pipe ends when the last process has closed it.
        assert select.select([alive], [], [], PATIENT_S)[0] == [alive]
        assert alive.read(1) == b""
