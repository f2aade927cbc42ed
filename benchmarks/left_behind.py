"""How long processes of hosted bots outlive what ended: not a matter of speed, but of 2 s.

``python -m benchmarks.left_behind`` prints the table of docs/reliability.md. Each try is a
``polynya match`` of two bots behind a wrapper script, each with children in its session, in one of
their own and orphaned (double fork), all of which ignore SIGTERM and SIGHUP.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.hosting.bots.processes import is_running, working_in

from polynya_contest.config.builtin_bots import builtin_command

TRIES = 20
_PATIENCE_S = 60.0
_FAMILY = """
STAY='trap "" TERM HUP; exec sleep 1000'
sh -c "$STAY" &
setsid sh -c "$STAY" &
(setsid sh -c "$STAY" &)
(sh -c "$STAY" & wait) &
"""
_CHILDREN = 8
"""Of both bots; they are there when this number of ``sleep`` run."""


@dataclass(frozen=True, slots=True)
class Left:
    """How long the last process of a bot was left.

    Attributes:
        since_cause_s: since the signal, or since the bot's program was killed; None if there was
            none.
        since_end_s: since ``polynya match`` ended, negative if it ended later; None if it did not.
    """

    since_cause_s: float | None = None
    since_end_s: float | None = None


class Try:
    """A match of two bots, each of which has a folder of its own to work in.

    Attributes:
        folders: those of the bots.
        process: ``polynya match``.
    """

    def __init__(self, folder: Path, games: int) -> None:
        bot = builtin_command("random")
        environment = [f"{key}={value}" for key, value in bot.environment.items()]
        program = shlex.join(["env", *environment, *bot.words])
        self.folders = [folder / "one", folder / "two"]
        for place in self.folders:
            place.mkdir()
            (place / "bot").write_text(f"{_FAMILY}echo $$ >main\nexec {program}\n")
        bots = [f"sh -c 'cd {place} && sh bot; exit $?'" for place in self.folders]
        command = [str(Path(sys.executable).with_name("polynya")), "match", *bots]
        command += ["--name", "one", "--name", "two", "--games", str(games)]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def of_bots(self) -> set[int]:
        """The processes of the bots."""
        return set.union(*map(working_in, self.folders))

    def wait_for_family(self) -> None:
        """Return when the children of both bots run."""
        end_s = time.monotonic() + _PATIENCE_S
        while sum(map(_runs_sleep, self.of_bots())) < _CHILDREN:
            assert time.monotonic() < end_s, "the bots did not start"

    def left_after(self, number: signal.Signals) -> Left:
        """Send a signal to ``polynya match``, and see how long processes are left."""
        self.process.send_signal(number)
        began_s = time.monotonic()
        end_s, gone_s = self.until_both_ended()
        return Left(gone_s - began_s, gone_s - end_s)

    def until_both_ended(self) -> tuple[float, float]:
        """When ``polynya match`` ended, and when the last process of a bot did."""
        limit_s = time.monotonic() + _PATIENCE_S
        end_s = gone_s = 0.0
        while not (end_s and gone_s):
            now_s = time.monotonic()
            assert now_s < limit_s, f"left: {self.of_bots()}"
            end_s = end_s or (now_s if self.process.poll() is not None else 0.0)
            gone_s = 0.0 if self.of_bots() else gone_s or now_s
        return end_s, gone_s

    def left_after_bot_is_killed(self) -> Left:
        """Kill a bot's program, not its wrapper, its guards or its children."""
        family = working_in(self.folders[0])
        os.kill(int((self.folders[0] / "main").read_text()), signal.SIGKILL)
        began_s = time.monotonic()
        while any(map(is_running, family)):
            assert time.monotonic() < began_s + _PATIENCE_S, f"left: {family}"
        return Left(since_cause_s=time.monotonic() - began_s)


def _runs_sleep(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/comm").read_text() == "sleep\n"
    except OSError:
        return False


@contextmanager
def match(games: int = 1_000_000) -> Iterator[Try]:
    """A match that is played for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        running = Try(Path(folder).resolve(), games)
        try:
            yield running
        finally:
            running.process.kill()
            running.until_both_ended()
            time.sleep(0.1)  # whether a bot that was just starting comes late
            assert not running.of_bots()


def signalled(number: signal.Signals) -> Left:
    """The server gets a signal at some moment of its matches."""
    with match() as running:
        running.wait_for_family()
        time.sleep(random.uniform(0, 0.3))
        return running.left_after(number)


def killed_at_the_start() -> Left:
    """The server is killed while its bots start."""
    with match() as running:
        while not running.of_bots():
            assert running.process.poll() is None
        time.sleep(random.uniform(0, 0.1))
        return running.left_after(signal.SIGKILL)


def bot_killed() -> Left:
    """A bot's program is killed."""
    with match() as running:
        running.wait_for_family()
        return running.left_after_bot_is_killed()


def all_played() -> Left:
    """All matches are played."""
    with match(games=2) as running:
        end_s, gone_s = running.until_both_ended()
        return Left(since_end_s=gone_s - end_s)


_SIGNALS = ("SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM", "SIGHUP", "SIGINT")
KINDS: dict[str, Callable[[], Left]] = {
    **{
        f"{name} of the server while it plays": partial(signalled, signal.Signals[name])
        for name in _SIGNALS
    },
    "SIGKILL of the server while its bots start": killed_at_the_start,
    "a bot's program is killed": bot_killed,
    "all matches are played": all_played,
}


def _seconds(figures: Sequence[float | None]) -> str:
    """Median and maximum of the figures."""
    measured = [one for one in figures if one is not None]
    if not measured:
        return "none"
    return f"{statistics.median(measured):.2f} s, {max(measured):.2f} s"


def main() -> None:
    """Print the table."""
    print("| what happens | since then: median, most | since the server's end: median, most |")
    print("|---|---|---|")
    for name, kind in KINDS.items():
        tries = [kind() for _ in range(TRIES)]
        since_cause = _seconds([one.since_cause_s for one in tries])
        since_end = _seconds([one.since_end_s for one in tries])
        print(f"| {name} | {since_cause} | {since_end} |", flush=True)


if __name__ == "__main__":
    main()
