"""No process of a hosted bot is left, however the bot or its server ends, wherever it hides."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
from tests.hosting.bots.processes import (
    children_of,
    is_running,
    until_ended,
    until_left,
    working_in,
)

from polynya_contest.config.builtin_bots import BotCommand
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.child_process import has_guards

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has guards")

FAMILY = """
mkfifo started
exec 3<>started
STAY='trap "" TERM HUP; echo $$ >&3; exec sleep 1000'
sh -c "$STAY" &
setsid sh -c "$STAY" &
(setsid sh -c "$STAY" &)
(sh -c "$STAY" & wait) &
read a <&3; read b <&3; read c <&3; read d <&3
echo $a $b $c $d $$
"""
"""A bot with children in its session, in another one, and orphaned, that end only by force."""

SERVER = """
import sys, trio
from pathlib import Path
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_contest.config.builtin_bots import BotCommand
folder, *words = sys.argv[1:]
trio.run(run_bot, "bot", BotCommand(tuple(words), {}, folder), {}, BotLog(Path(folder, "log")))
"""
WRAPPED = ("sh", "-c", "sh family; exit $?")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "family").write_text(f"{FAMILY}wait\n")
    return tmp_path


@contextmanager
def server(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that hosts a bot, by default the one with a family, behind a wrapper."""
    command = [sys.executable, "-c", SERVER, str(folder), *(words or WRAPPED)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


async def family_in(log: Path) -> list[int]:
    """The processes of the family, once all of them are there."""
    with trio.fail_after(120):
        while not (log.exists() and len(log.read_text().splitlines()) == 2):
            await trio.sleep(0.01)
    return [int(number) for number in log.read_text().splitlines()[1].split()]


def test_linux_has_guards() -> None:
    assert has_guards()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
async def test_family_of_a_bot_does_not_outlive_its_server(
    number: signal.Signals, folder: Path
) -> None:
    with server(folder) as process:
        family = await family_in(folder / "log")
        assert [member for member in family if not is_running(member)] == []
        process.send_signal(number)
        await until_left(folder)


async def test_server_that_is_killed_while_a_bot_starts_leaves_nothing(folder: Path) -> None:
    with server(folder) as process:
        with trio.fail_after(120):
            while not working_in(folder):
                await trio.sleep(0)
        process.kill()
        await until_left(folder)


@pytest.mark.parametrize(
    ("last", "code"), [("exit 3", 3), ("kill -KILL $$", -signal.SIGKILL), ("exec true", 0)]
)
async def test_family_of_a_bot_does_not_outlive_the_bot(last: str, code: int, folder: Path) -> None:
    (folder / "family").write_text(f"{FAMILY}{last}\n")
    log = BotLog(None)
    end = await run_bot("bot", BotCommand(("sh", "family"), {}, str(folder)), {}, log)
    assert code == end.code
    family = [int(number) for number in log.last_lines()[0].split()]
    assert len(family) == 5
    assert [member for member in family if is_running(member)] == []
    assert working_in(folder) == set()


async def test_family_of_a_bot_is_gone_once_its_run_is_cancelled(folder: Path) -> None:
    log = BotLog(folder / "log")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_bot, "bot", BotCommand(WRAPPED, {}, str(folder)), {}, log)
        await family_in(folder / "log")
        nursery.cancel_scope.cancel()
    log.close()
    assert working_in(folder) == set()


async def test_bot_that_is_asked_to_end_may_finish_after_its_wrapper(folder: Path) -> None:
    (folder / "bot").write_text(
        "trap 'head -c 1 <&3; echo goodbye >said; exit' TERM\n"
        "mkfifo never go; exec 3<>go; echo $PPID; read x <>never\n"
    )
    log = BotLog(None)
    command = BotCommand(("sh", "-c", "sh bot; exit $?"), {}, str(folder))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_bot, "bot", command, {}, log)
        with trio.fail_after(120):
            while not log.last_lines():
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await until_ended(int(log.last_lines()[0]))
            go = os.open(folder / "go", os.O_RDWR)  # does not wait for the bot
            os.write(go, b"!")
            os.close(go)
    assert (folder / "said").read_text() == "goodbye\n"


async def guards_of(process: int) -> list[int]:
    """The outer and the inner guard of the bot that a process hosts."""
    [outer] = children_of(process)
    [inner] = children_of(outer)
    return [outer, inner]


@pytest.mark.parametrize("which", [0, 1], ids=["outer", "inner"])
async def test_family_of_a_bot_does_not_outlive_a_guard_that_is_killed(
    which: int, folder: Path
) -> None:
    with server(folder) as process:
        await family_in(folder / "log")
        os.kill((await guards_of(process.pid))[which], signal.SIGKILL)
        await until_left(folder)


@pytest.mark.parametrize("which", [0, 1], ids=["outer", "inner"])
async def test_family_of_a_bot_does_not_outlive_its_server_while_a_guard_is_stopped(
    which: int, folder: Path
) -> None:
    with server(folder) as process:
        await family_in(folder / "log")
        guards = await guards_of(process.pid)
        os.kill(guards[which], signal.SIGSTOP)
        process.kill()
        await until_left(folder)
        for guard in guards:
            await until_ended(guard)


async def test_family_of_a_bot_that_kills_its_guard_is_gone_with_it(folder: Path) -> None:
    (folder / "family").write_text(f"{FAMILY}kill -KILL $PPID; wait\n")
    log = BotLog(None)
    with trio.fail_after(120):
        end = await run_bot("bot", BotCommand(("sh", "family"), {}, str(folder)), {}, log)
    assert end.code == -signal.SIGKILL
    assert working_in(folder) == set()


async def test_run_is_cancelled_while_a_guard_is_stopped(folder: Path) -> None:
    (folder / "family").write_text(f"{FAMILY}kill -STOP $PPID; wait\n")
    log = BotLog(folder / "log")
    async with trio.open_nursery() as nursery:
        command = BotCommand(("sh", "family"), {}, str(folder))
        nursery.start_soon(run_bot, "bot", command, {}, log)
        await family_in(folder / "log")
        nursery.cancel_scope.cancel()
    log.close()
    assert working_in(folder) == set()
