"""Bots as processes: their output, their end, and that none is left over."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from tests.hosting.bots.processes import children_of, until_ended

from polynya_common.errors import ConfigurationError, RunError
from polynya_contest.config.builtin_bots import BotCommand, builtin_command, builtin_names
from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_hosting.bots.bot_process import BotLog, command_of, run_bot


@pytest.fixture
def log(tmp_path: Path) -> Iterator[BotLog]:
    opened = BotLog(tmp_path / "logs" / "bot.log")
    yield opened
    opened.close()


def kept(log: BotLog) -> Path:
    """The file that a log is written to."""
    assert log.path is not None
    return log.path


async def run(program: str, log: BotLog, **environment: str) -> int:
    command = BotCommand((sys.executable, "-c", program), environment)
    with trio.fail_after(120):
        return (await run_bot("bot", command, {}, log)).code


async def test_exit_code_is_reported(log: BotLog) -> None:
    assert await run("raise SystemExit(3)", log) == 3


async def test_a_signal_is_a_negative_code(log: BotLog) -> None:
    assert await run("import os; os.kill(os.getpid(), 9)", log) == -signal.SIGKILL


async def test_output_and_errors_are_in_the_log(log: BotLog) -> None:
    await run("import sys; print('out', flush=True); print('err', file=sys.stderr)", log)
    assert log.last_lines() == ["out", "err"]
    assert kept(log).read_text().splitlines()[1:] == ["out", "err"]


async def test_the_environment_is_given(log: BotLog) -> None:
    await run("import os; print(os.environ['COLOUR'])", log, COLOUR="red")
    assert log.last_lines() == ["red"]


async def test_the_last_lines_are_fit_for_a_terminal(log: BotLog) -> None:
    await run(r"print('\x1b[2Jgone'); print('x' * 10_000)", log)
    clear, long = log.last_lines()
    assert "\x1b" not in clear
    assert len(long) < 1_000


async def test_a_log_starts_again_after_what_it_holds(log: BotLog) -> None:
    log.add(b"first\n")
    again = BotLog(kept(log))
    again.add(b"second\n")
    again.close()
    lines = kept(log).read_text().splitlines()
    assert [line for line in lines if not line.startswith("---")] == ["first", "second"]


async def test_a_log_does_not_grow_for_ever(log: BotLog) -> None:
    for _ in range(8):
        log.add(b"x" * 1024 * 1024 + b"\n")
    assert kept(log).stat().st_size < 5_300_000
    assert kept(log).read_bytes().endswith(b"what follows is not kept ---\n")


def test_without_a_file_the_last_lines_are_kept() -> None:
    log = BotLog(None)
    log.add(b"first\nsecond\n")
    log.close()
    assert log.last_lines() == ["first", "second"]


async def test_a_command_that_is_not_there_is_named(log: BotLog) -> None:
    with pytest.raises(RunError, match=r"bot ann cannot be started: no-such-bot --x: No such file"):
        await run_bot("ann", BotCommand(("no-such-bot", "--x"), {}), {}, log)


async def test_cancelling_ends_the_bot_and_its_children(log: BotLog) -> None:
    program = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(1000)
"""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, program, log)
        with trio.fail_after(120):
            while not log.last_lines():
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    for process in map(int, log.last_lines()[0].split()):
        await until_ended(process)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can promise it")
async def test_a_bot_does_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    program = f"""
import sys, trio
from pathlib import Path
from polynya_hosting.bots.bot_process import *
from polynya_contest.config.builtin_bots import BotCommand
log = BotLog(Path({str(tmp_path / "log")!r}))
bot = BotCommand((sys.executable, "-c", "import time; time.sleep(1000)"), {{}})
trio.run(run_bot, "bot", bot, {{}}, log)
"""
    parent = subprocess.Popen([sys.executable, "-c", program])
    with trio.fail_after(120):
        while not (found := children_of(parent.pid)):
            assert parent.poll() is None
            await trio.sleep(0.01)
    parent.kill()
    parent.wait()
    await until_ended(found[0])


def test_a_line_is_split_as_by_a_shell() -> None:
    bot = BotConfiguration(name="a", command="python3 'my bot.py' --x=1", directory="/tmp")  # noqa: S108
    assert command_of(bot) == BotCommand(("python3", "my bot.py", "--x=1"), {}, "/tmp")  # noqa: S108


def test_a_list_of_words_is_taken_as_it_is() -> None:
    bot = BotConfiguration(name="a", command=["run me", "$X"])
    assert command_of(bot).words == ("run me", "$X")


def test_a_built_in_bot_runs_with_our_python_and_the_sdk() -> None:
    command = builtin_command("random")
    assert command.words[0] == sys.executable
    assert Path(command.words[1]).name == "random_bot.py"
    assert (Path(command.environment["PYTHONPATH"]) / "polynya_client").is_dir()


def test_an_unknown_built_in_bot_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ConfigurationError, match=r"no built-in bot 'nobody'; there are .*random"):
        builtin_command("nobody")
    assert {"random", "greedy", "packeis"} <= set(builtin_names())
