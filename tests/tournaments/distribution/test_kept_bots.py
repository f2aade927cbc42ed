"""Workers keep the processes of bots for further blocks of the same bots."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.tournaments.distribution.clusters import Run, cluster, wait_until, write_cup
from tests.tournaments.distribution.test_same_results import played, without_dask, without_times

from polynya_contest.config.builtin_bots import builtin_command

SDK = builtin_command("random").environment["PYTHONPATH"]
BOT = """
import os
import sys
from polynya_client import run
with open(os.environ["STARTS"], "a") as file:
    file.write(f"{sys.argv[1]} {os.environ['POLYNYA_SEED']} {os.getpid()}\\n")
run(lambda turn: [turn.legal[int(sys.argv[1])]])
"""
BLOCKS = 8


def cup_of_starts(folder: Path) -> Path:
    """A tournament of two bots that write each start into a file, and do not use their seeds."""
    description = write_cup(folder, BLOCKS)
    (folder / "bot").mkdir()
    (folder / "bot" / "bot.py").write_text(BOT)
    text = description.read_text().replace("fresh_processes = true\n", "")
    for builtin, place in (("random", "0"), ("greedy", "-1")):
        text = text.replace(
            f'builtin = "{builtin}"',
            f'command = ["{sys.executable}", "bot.py", "{place}"]\n'
            f'directory = "bot"\n'
            f'environment = {{ STARTS = "{folder / "starts"}", PYTHONPATH = "{SDK}" }}',
        )
    description.write_text(text)
    return description


def starts(folder: Path) -> list[list[str]]:
    """Bot, seed and process of each start."""
    return [line.split() for line in (folder / "starts").read_text().splitlines()]


def seeds(folder: Path) -> set[tuple[str, str]]:
    return {(bot, seed) for bot, seed, _ in starts(folder)}


def test_records_and_seeds_of_kept_bots_are_those_of_a_run_without_workers(tmp_path: Path) -> None:
    here = without_dask(cup_of_starts(tmp_path / "here"))
    there = cup_of_starts(tmp_path / "there")
    one = Run(here)
    assert one.code() == 0, one.said()
    two = Run(there, "--dask", "local", "--workers", "2")
    assert two.code() == 0, two.said()

    assert one.table() == two.table()
    expected, found = (played(path.parent / "cup.sqlite") for path in (here, there))
    assert without_times(expected) == without_times(found)
    assert seeds(here.parent) == seeds(there.parent)


def test_bots_are_kept_for_further_blocks_and_end_soon_after_the_last(tmp_path: Path) -> None:
    with cluster(tmp_path, "one") as found:
        run = Run(cup_of_starts(tmp_path / "cup"), "--dask", found.address)
        assert run.code() == 0, run.said()
        begun = starts(tmp_path / "cup")
        wait_until(lambda: not any(map(_lives, begun)), "the kept bots end")
        assert found.workers["one"].poll() is None
    assert 2 <= len(begun) < 2 * BLOCKS


def test_kept_bots_end_with_their_killed_worker(tmp_path: Path) -> None:
    with cluster(tmp_path, "one") as found:
        run = Run(cup_of_starts(tmp_path / "cup"), "--dask", found.address)
        run.says("2 of 16 matches")
        found.workers["one"].kill()
        begun = starts(tmp_path / "cup")
        wait_until(lambda: not any(map(_lives, begun)), "the bots of the killed worker end")
        found.start_worker("two")
        assert run.code() == 0, run.said()


def _lives(start: list[str]) -> bool:
    return Path("/proc", start[-1]).exists()
