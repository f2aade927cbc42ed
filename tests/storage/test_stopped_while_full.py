"""A server or run that is stopped while its disk takes no more loses no result."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.hosting.bots.processes import children_of
from tests.recorded_matches import launcher
from tests.served import bot, serving
from tests.storage.runs import Hall, hall

from polynya_common.errors import StoreError
from polynya_conformance.replay.verify import differences as replay_differences
from polynya_conformance.replay.verify import parse_replay
from polynya_store import Store

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux changes another process's limits"
)
PATIENCE_S = 120
FULL = "failed to read or write"


@pytest.fixture
def cup() -> Iterator[Hall]:
    with hall() as found:
        yield found


def let_disk_be_full(process: int, database: Path) -> None:
    """Let a process write no more into a database, as on a full disk; small files have room."""
    most = database.with_name(f"{database.name}-wal").stat().st_size
    hard = resource.prlimit(process, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(process, resource.RLIMIT_FSIZE, (most, hard))


def writer_of(process: int) -> int:
    """The process that writes the database of another one."""
    [writer] = [
        child
        for child in children_of(process)
        if b"writer_process_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return writer


def wrong_records(database: Path) -> list[object]:
    with Store.open(database) as store:
        wrong: list[object] = list(store.ratings.differences())
        for match, document in store.matches.replays():
            wrong += replay_differences(parse_replay(document, match))
    return wrong


def kept_beside(database: Path) -> list[Path]:
    return list(database.parent.glob(f"{database.name}-*.unrecorded"))


def test_stopped_ladder_keeps_results_and_the_next_start_records_them(tmp_path: Path) -> None:
    database = tmp_path / "ladder.sqlite"
    with (
        serving(launcher(), database, "--move", "60000", "--grace-ms", "1000") as server,
        bot(server.port, "ada"),
        bot(server.port, "bob") as bob,
    ):
        server.read_until("a match is over")
        bob.send_signal(signal.SIGSTOP)
        until(lambda: in_play(database) != [])
        let_disk_be_full(writer_of(server.process.pid), database)
        bob.send_signal(signal.SIGCONT)
        server.read_until(FULL)
        code, rest = server.stop()
    [path] = kept_beside(database)
    assert code == 1
    last = rest.splitlines()[-1]
    assert f"1 result is in {path}, and recorded when the same command is started again" in last
    [waiting] = in_play(database)
    with serving(launcher(), database) as server:
        server.read_until(f"results that were kept in {path} are recorded now: 1")
        assert server.stop()[0] == 0
    with Store.open(database) as store:
        assert store.matches.get(waiting).reason == "finished"
    assert wrong_records(database) == []
    assert kept_beside(database) == []


def in_play(database: Path) -> list[str]:
    """The matches without a result; none before the database is there."""
    with suppress(StoreError), Store.open(database) as store:
        return [row.match for row in store.matches.find() if row.reason is None]
    return []


def until(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.05)


def command(cup: Hall, kind: str) -> list[str]:
    if kind == "tournament":
        return [*launcher(), "tournament", "run", str(cup.folder / "cup.toml")]
    words = json.loads((cup.folder / "cup.toml").read_text().split("command = ")[1].split("\n")[0])
    bots = [" ".join(f"'{word}'" for word in [*words, name]) for name in ("one", "two")]
    flags = ["--games", "6", "--name", "one", "--name", "two", "--initial-ms", "600000"]
    return [*launcher(), "match", *bots, *flags, "--database", str(cup.database)]


@pytest.mark.parametrize("kind", ["tournament", "match"])
def test_stopped_run_keeps_results_and_the_next_start_records_them(cup: Hall, kind: str) -> None:
    words = command(cup, kind)
    (cup.folder / "pause").touch()
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as run:
        assert run.stderr is not None
        try:
            until(lambda: in_play(cup.database) != [])
            writer = writer_of(run.pid) if kind == "tournament" else run.pid
            let_disk_be_full(writer, cup.database)
            cup.go_on()
            for line in run.stderr:
                if FULL in line:
                    break
            run.send_signal(signal.SIGTERM)
            last = run.stderr.read().splitlines()[-1]
            assert run.wait(PATIENCE_S) == 1
        finally:
            run.kill()
    kept = kept_beside(cup.database)
    assert kept != []
    assert all(str(path) in last for path in kept)
    again = subprocess.run(words, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
    assert again.returncode == 0
    assert f"results that were kept in {kept[0]} are recorded now:" in again.stderr
    assert in_play(cup.database) == []
    assert wrong_records(cup.database) == []
    assert kind == "match" or cup.played() == cup.scheduled
