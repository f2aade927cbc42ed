"""A server that is stopped while PostgreSQL is away loses no result."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.postgresql import postgresql_server
from tests.recorded_matches import launcher
from tests.served import bot, serving

from polynya_common.database_address import DatabaseUrl
from polynya_store import Store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no SIGSTOP")
PATIENCE_S = 120
LOST = "cannot be reached"


def in_play(url: DatabaseUrl) -> list[str]:
    with Store.open(url) as store:
        return [row.match for row in store.matches.find() if row.reason is None]


def until(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s


def test_stopped_ladder_keeps_results_and_the_next_start_records_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with postgresql_server({"fsync": "on", "full_page_writes": "on"}) as postgresql:
        url = postgresql.empty()
        with (
            serving(launcher(), url, "--move", "60000", "--grace-ms", "3000") as server,
            bot(server.port, "ada"),
            bot(server.port, "bob") as bob,
        ):
            kept = f"results that the database does not take are kept in {tmp_path}/polynya\n"
            assert kept in server.before
            server.read_until("a match is over")
            bob.send_signal(signal.SIGSTOP)
            until(lambda: in_play(url) != [])
            postgresql.kill()
            bob.send_signal(signal.SIGCONT)
            server.read_until(LOST)
            code, rest = server.stop(signal.SIGTERM)
        [path] = (tmp_path / "polynya").glob("*.unrecorded")
        assert code == 1
        assert f"1 result is in {path}, and recorded when" in rest.splitlines()[-1]
        postgresql.start()
        [waiting] = in_play(url)
        with serving(launcher(), url) as server:
            server.read_until(f"results that were kept in {path} are recorded now: 1")
            assert server.stop()[0] == 0
        with Store.open(url) as store:
            assert store.matches.get(waiting).reason == "finished"
            assert list(store.ratings.differences()) == []
        assert not path.exists()
