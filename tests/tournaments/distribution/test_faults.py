"""Workers, scheduler and coordinator are killed and stopped: no match is lost or counted twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.tournaments.distribution.clusters import (
    WAIT_S,
    Cluster,
    Run,
    cluster,
    wait_until,
    write_cup,
)

from polynya_contest.config.builtin_bots import builtin_command
from polynya_store import Store

CYCLES = 8
BOT = "from polynya_client import run; run(lambda turn: [turn.legal[0]])"
SDK = builtin_command("random").environment["PYTHONPATH"]


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, "one", "two") as found:
        yield found


def begun(run: Run) -> None:
    """Wait until some matches are over, and most are not."""
    run.says("2 of 16 matches")


def given_up(found: Cluster) -> None:
    """Wait until the scheduler does without a worker; the run may be over a second later."""
    wait_until(lambda: "Remove worker" in found.log("scheduler"), "a worker is given up")


def results(database: Path) -> list[str]:
    """The matches with a result, in the order of their numbers."""
    with Store.open(database) as store:
        assert store.ratings.differences() == []
        rows = [row for row in store.matches.find() if row.seats[0].rank is not None]
        assert not any(seat.forfeit for row in rows for seat in row.seats)
        return sorted((row.match.split(".")[0] for row in rows), key=lambda name: (len(name), name))


def complete(run: Run, folder: Path) -> None:
    """The run ends well, and each match has one result, by no forfeit."""
    assert run.code() == 0, run.said()
    assert results(folder / "cup.sqlite") == [f"cup-{number}" for number in range(1, 17)]


def test_killed_worker_costs_no_match(two_workers: Cluster, tmp_path: Path) -> None:
    run = Run(write_cup(tmp_path, CYCLES), "--dask", two_workers.address)
    begun(run)
    two_workers.workers["one"].kill()
    run.says("gone from the cluster: one@")
    complete(run, tmp_path)


def test_only_worker_that_is_killed_may_come_back_at_another_address(tmp_path: Path) -> None:
    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "bot.py").write_text(BOT)  # the worker asks for it, so blocks name it
    more = f"""
[[bots]]
name = "cid"
command = ["{sys.executable}", "bot.py"]
directory = "sent"
environment = {{ PYTHONPATH = "{SDK}" }}
"""
    with cluster(tmp_path, "one", ttl_s=300) as found:
        run = Run(write_cup(tmp_path, 1, more=more), "--dask", found.address)
        run.says("1 of 6 matches")
        found.workers["one"].kill()
        run.says("no worker is connected")
        found.start_worker("two")
        assert run.code() == 0, run.said()
    assert results(tmp_path / "cup.sqlite") == [f"cup-{number}" for number in range(1, 7)]


def test_stopped_worker_is_done_without_and_may_go_on(two_workers: Cluster, tmp_path: Path) -> None:
    run = Run(write_cup(tmp_path, CYCLES), "--dask", two_workers.address)
    begun(run)
    two_workers.workers["one"].send_signal(signal.SIGSTOP)
    given_up(two_workers)
    two_workers.workers["one"].send_signal(signal.SIGCONT)
    complete(run, tmp_path)


COUNTED = """
import os
from polynya_client import run
with open(os.environ["STARTS"], "a") as file:
    file.write(os.environ["POLYNYA_SEED"] + " ")
run(lambda turn: [turn.legal[0]])
"""


def test_drained_worker_finishes_its_block(two_workers: Cluster, tmp_path: Path) -> None:
    (tmp_path / "counted").mkdir()
    (tmp_path / "counted" / "bot.py").write_text(COUNTED)
    starts = tmp_path / "starts"
    more = f"""
[[bots]]
name = "cid"
command = ["{sys.executable}", "bot.py"]
directory = "counted"
environment = {{ STARTS = "{starts}", PYTHONPATH = "{SDK}" }}
"""
    run = Run(write_cup(tmp_path, CYCLES, more=more), "--dask", two_workers.address)
    run.says("5 of 48 matches")
    two_workers.workers["one"].terminate()
    assert two_workers.workers["one"].wait(WAIT_S) == 0
    assert run.code() == 0, run.said()
    assert len(results(tmp_path / "cup.sqlite")) == 48
    seeds = starts.read_text().split()
    assert sorted(set(seeds)) == sorted(seeds)  # no block was begun a second time


def test_scheduler_that_comes_back_goes_on(two_workers: Cluster, tmp_path: Path) -> None:
    run = Run(write_cup(tmp_path, CYCLES), "--dask", two_workers.address)
    begun(run)
    two_workers.scheduler.kill()
    two_workers.scheduler.wait()
    run.says(f"the scheduler {two_workers.address} is gone")
    two_workers.start_scheduler()
    two_workers.start_worker("three")
    complete(run, tmp_path)


def test_scheduler_that_stays_away_ends_the_run_and_the_same_command_goes_on(
    two_workers: Cluster, tmp_path: Path
) -> None:
    cup = write_cup(tmp_path, CYCLES, wait_s=3)
    run = Run(cup, "--dask", two_workers.address)
    begun(run)
    two_workers.scheduler.kill()
    assert run.code() == 1
    assert "did not answer for 3 s" in run.said()
    assert 0 < len(results(tmp_path / "cup.sqlite")) < 16
    two_workers.start_scheduler()
    two_workers.start_worker("three")
    complete(Run(cup, "--dask", two_workers.address), tmp_path)


def test_killed_coordinator_goes_on_where_it_was(two_workers: Cluster, tmp_path: Path) -> None:
    cup = write_cup(tmp_path, CYCLES)
    run = Run(cup, "--dask", two_workers.address)
    begun(run)
    run.end()
    assert 0 < len(results(tmp_path / "cup.sqlite")) < 16
    complete(Run(cup, "--dask", two_workers.address), tmp_path)


KILLER = """
import os, signal
process = os.getppid()
while process > 1:
    with open(f"/proc/{process}/cmdline") as file:
        if "referee_process" in file.read():
            os.kill(process, signal.SIGKILL)
    with open(f"/proc/{process}/stat") as file:
        process = int(file.read().rpartition(")")[2].split()[1])
"""


def test_bot_that_kills_its_referee_ends_no_worker_and_charges_no_bot(
    two_workers: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "killer").mkdir()
    (tmp_path / "killer" / "bot.py").write_text(KILLER)
    more = '[[bots]]\nname = "cid"\ncommand = ["python3", "bot.py"]\ndirectory = "killer"\n'
    run = Run(write_cup(tmp_path, 1, more=more), "--dask", two_workers.address)
    run.says("does not count: worker")
    assert "the referee's process was ended by signal 9" in run.said()
    wait_until(lambda: len(results(tmp_path / "cup.sqlite")) == 2, "the others have played")
    run.process.send_signal(signal.SIGINT)
    assert run.code() == 130
    assert [process.poll() for process in two_workers.workers.values()] == [None, None]


def test_worker_whose_disk_is_full_costs_no_match(tmp_path: Path) -> None:
    require("namespaces of root")
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / "bot.py").write_text(BOT)
    (tmp_path / "large" / "table.bin").write_bytes(os.urandom(1_000_000))
    more = f"""
[[bots]]
name = "cid"
command = ["{sys.executable}", "bot.py"]
directory = "large"
environment = {{ PYTHONPATH = "{SDK}" }}
"""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f'mount -t tmpfs -o size=256k none {disk} && TMPDIR={disk} exec "$@"'
    with cluster(tmp_path) as found:
        found.start_worker("small", ["unshare", "-m", "sh", "-c", mount, "sh"])
        wait_until(lambda: "Registered to" in found.log("small"), "the small worker is there")
        run = Run(write_cup(tmp_path, 1, more=more), "--dask", found.address)
        run.says("No space left on device")
        found.start_worker("large")
        assert run.code() == 0, run.said()
    assert results(tmp_path / "cup.sqlite") == [f"cup-{number}" for number in range(1, 7)]


def test_worker_that_is_cut_off_costs_no_match(tmp_path: Path) -> None:
    require("namespaces of root")
    with namespace() as name, cluster(tmp_path, host="10.213.7.1") as found:
        found.start_worker("far", ["ip", "netns", "exec", name])
        found.start_worker("near")
        run = Run(write_cup(tmp_path, CYCLES), "--dask", found.address)
        begun(run)
        ip("netns", "exec", name, "ip", "link", "set", "far0", "down")
        given_up(found)
        complete(run, tmp_path)


@contextmanager
def namespace() -> Iterator[str]:
    """A network of its own at 10.213.7.2, joined to ours at 10.213.7.1."""
    name = f"polynya-{os.getpid()}"
    ip("netns", "add", name)
    try:
        ip("link", "add", "near0", "type", "veth", "peer", "name", "far0", "netns", name)
        ip("addr", "add", "10.213.7.1/30", "dev", "near0")
        ip("link", "set", "near0", "up")
        for words in ("addr add 10.213.7.2/30 dev far0", "link set far0 up", "link set lo up"):
            ip("netns", "exec", name, "ip", *words.split())
        yield name
    finally:
        ip("netns", "del", name)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def test_bot_from_outside_is_refused(tmp_path: Path) -> None:
    more = '[[bots]]\nname = "cid"\nexternal = true\n'
    run = Run(write_cup(tmp_path, more=more), "--dask", "local")
    assert run.code() == 2
    assert "bots[2]: cid connects from outside, and with --dask workers start all" in run.said()
