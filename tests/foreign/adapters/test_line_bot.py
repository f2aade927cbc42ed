"""Programs that print a line a turn: hostile ones are a sentence in time and leave no process."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polynya_client.events import Legal
from polynya_foreign.adapters.line_bot import LineBot
from polynya_foreign.adapters.line_template import LineTemplate
from polynya_foreign.adapters.program import EngineFailed, Program

SHORT_S = 0.5
"""The time for a program that does not answer."""
PATIENT_S = 60.0
"""Only a broken adapter waits so long for one that says something."""
TEMPLATE = """
start = '''
{seat} {players}
'''
turn = '''
{turn}
{for step in legal}
{step}
{end}
'''
separator = ";"

[[answer]]
line = "go {x:int}"
step = ["go", "{x}"]

[[answer]]
line = "option {n:int}"
step = "legal[n]"
"""
WRONG = {
    "empty line": (b"\n", "none of the forms"),
    "another veb": (b"fly 1\n", "none of the forms"),
    "illegal step": (b"go 9\n", "no legal step"),
    "negative": (b"go -1\n", "no legal step"),
    "fraction": (b"go 1.0\n", "none of the forms"),
    "no number": (b"go one\n", "none of the forms"),
    "too many words": (b"go 1 2\n", "none of the forms"),
    "large number": (b"go 99999999999999999999\n", "none of the forms"),
    "no such option": (b"option 9\n", "there is no '9'"),
    "negative option": (b"option -1\n", "no number|there is no"),
    "large option": (b"option 999999999999\n", "there is no"),
    "text of a template": (b"{state}\n", "none of the forms"),
    "markup": (b"<script>alert(1)</script>\n", "none of the forms"),
    "path": (b"../../etc/passwd\n", "none of the forms"),
    "JSON": (b'{"steps": [["go", 1]]}\n', "none of the forms"),
    "terminal codes": (b"\x1b[2Jgo 1\n", "control characters"),
    "zero byte": (b"go 1\x00\n", "control characters"),
    "carriage return within": (b"go\r1\n", "control characters"),
    "line separator": ("go 1\u2028".encode() + b"\n", "control characters"),
    "turned text": ("\u202ego 1".encode() + b"\n", "control characters"),
    "no UTF-8": (b"go \xff\n", "none of the forms|control characters"),
    "many steps": (b"go 1;" * 500 + b"\n", "no legal step|more than"),
    "half of a turn": (b"go 1;\n", "none of the forms"),
    "step after the turn": (b"go 1;go 1;go 1\n", "no legal step"),
    "long line": (b"x" * 60_000 + b"\n", "none of the forms"),
}
ENDS = {
    "end": ("sys.exit(0)", "exit code 0"),
    "failure": ("sys.exit(3)", "exit code 3"),
    "error": ("1 / 0", "exit code 1"),
    "signal": ("os.kill(os.getpid(), 9)", "SIGKILL"),
    "closed output": ("os.close(1); time.sleep(60)", "closed its output"),
    "endless line": ("while True: say(b'x' * 4096)", "longer than"),
    "huge line": ("say(b'x' * 200_000); time.sleep(60)", "longer than"),
    "silence": ("time.sleep(60)", "no line in time"),
    "missing line end": ("say(b'go 1'); time.sleep(60)", "'go 1' has no line end"),
}
WAITED_FOR = {"silence", "missing line end"}


def match() -> Any:
    players = [SimpleNamespace(name=name) for name in ("ada", "bob")]
    clock = SimpleNamespace(move_ms=None)
    return SimpleNamespace(
        id="m1", game="some game", seat=0, players=players, options={}, clock=clock, state={}
    )


def turn(seconds: float = PATIENT_S, number: int = 1) -> Any:
    """A turn of two steps."""

    def legal_after(steps: list[list[Any]]) -> Legal:
        return Legal([["go", 1]], turn_over=len(steps) > 1)

    return SimpleNamespace(
        match=match(), number=number, remaining_ms=seconds * 1000, state={}, info={},
        deadline=time.monotonic() + seconds, legal=[["go", 1], ["go", 2]], legal_after=legal_after,
    )  # fmt: skip


def play(it: LineBot, seconds: float = PATIENT_S, turns: int = 1) -> None:
    """A match as far as it goes."""
    it.match_start(match())
    for number in range(1, 1 + turns):
        it.turn(turn(seconds, number))


@contextlib.contextmanager
def bot(then: str, folder: Path, started: list[Program] | None = None) -> Iterator[LineBot]:
    """A program that has read a turn, and then does something."""
    (folder / "bot.toml").write_text(TEMPLATE)
    source = (
        "import os, sys, time\n"
        "def say(text):\n os.write(1, text)\n"
        "def read():\n return sys.stdin.readline().strip()\n"
        "start = read()\n"
        f"while read(): first, second = read(), read(); {then}\n"
    )
    if then.startswith("while"):
        source = source.replace(f"; {then}", f"; exec({then!r})")
    command = [sys.executable, "-S", "-c", source]
    processes = [] if started is None else started

    def start() -> Program:
        processes.append(Program(command))
        return processes[-1]

    with contextlib.closing(LineBot(LineTemplate(folder / "bot.toml"), start)) as made:
        yield made


@pytest.mark.parametrize("what", WRONG)
def test_wrong_line_is_named(what: str, tmp_path: Path) -> None:
    said, sentence = WRONG[what]
    with (
        bot(f"say({said!r})", tmp_path) as it,
        pytest.raises(EngineFailed, match=sentence) as failed,
    ):
        play(it)
    assert failed.value.farewell.isprintable()
    assert len(failed.value.farewell) < 500


@pytest.mark.parametrize("what", ENDS)
def test_program_that_ends_or_says_nothing_is_named_and_ends(what: str, tmp_path: Path) -> None:
    then, sentence = ENDS[what]
    started: list[Program] = []
    with bot(then, tmp_path, started) as it, pytest.raises(EngineFailed, match=sentence):
        play(it, SHORT_S if what in WAITED_FOR else PATIENT_S)
    with pytest.raises(ProcessLookupError):
        os.killpg(started[0].pid, 0)


def test_second_line_in_a_turn_is_named(tmp_path: Path) -> None:
    said = "say(b'go 1\\ngo 2\\n')"
    with bot(said, tmp_path) as it, pytest.raises(EngineFailed, match="more than one line"):
        play(it, turns=50)


def test_line_is_the_whole_turn(tmp_path: Path) -> None:
    with bot("say(b'  go\\t1 ;option 0\\r\\n')", tmp_path) as it:
        it.match_start(match())
        assert it.turn(turn()) == [["go", 1], ["go", 1]]


def test_program_reads_the_start_once_and_each_turn(tmp_path: Path) -> None:
    then = (
        "say(b'go 1\\n' if (start, first, second) == ('0 ada bob', 'go 1', 'go 2') else b'no\\n')"
    )
    with bot(then, tmp_path) as it:
        it.match_start(match())
        assert [it.turn(turn(number=number)) for number in (1, 3)] == [[["go", 1]]] * 2


def test_turn_that_is_asked_again_after_a_lost_connection_has_the_same_answer(
    tmp_path: Path,
) -> None:
    with bot("say(b'go %d\\n' % len(os.urandom(1)))", tmp_path) as it:
        it.match_start(match())
        first = it.turn(turn())
        it.match_start(match())
        assert it.turn(turn()) == first == [["go", 1]]


def test_matches_at_the_same_time_have_programs_of_their_own(tmp_path: Path) -> None:
    started: list[Program] = []
    with bot("say(b'go 1\\n')", tmp_path, started) as it:
        turns = [turn(), turn()]
        turns[1].match.id = "m2"
        for each in turns:
            it.match_start(each.match)
        assert [it.turn(each) for each in turns] == [[["go", 1]]] * 2
    assert len({program.pid for program in started}) == 2


def test_template_that_does_not_fit_the_game_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(TEMPLATE.replace("{turn}", "{state.board}"))
    template = LineTemplate(tmp_path / "bot.toml")
    command = [sys.executable, "-S", "-c", "input(); input()"]
    with (
        contextlib.closing(LineBot(template, lambda: Program(command))) as it,
        pytest.raises(
            EngineFailed, match=r"the template's turn: 'state.board': there is no 'board'"
        ),
    ):
        play(it)
