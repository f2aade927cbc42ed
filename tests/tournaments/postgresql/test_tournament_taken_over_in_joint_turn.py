"""A standby takes a tournament over while one of two answers of a joint turn is in."""

from __future__ import annotations

import subprocess
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import trio
from tests.games.example_games import example_games, example_games_of_processes
from tests.scripted.game_host import together
from tests.served import free_ports
from tests.tournaments.postgresql.test_takeover_in_joint_turn import connect, url
from tests.tournaments.postgresql.test_tournament_on_standby import PATIENCE_S, line_of, running

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_server.match.match_setup import deal_commitment
from polynya_store import Store

__all__ = ["example_games", "example_games_of_processes", "url"]

pytestmark = pytest.mark.usefixtures("example_games_of_processes")

CUP = """
name = "cup"
game = "goofspiel"
options = { cards = 3 }
clock = { move_ms = 600_000 }
bots = [{ name = "ann", external = true }, { name = "bob", external = true }]
"""


async def until(process: subprocess.Popen[str], words: str) -> None:
    """Read its log to the line with these words."""
    while words not in (line := await trio.to_thread.run_sync(line_of, process)):
        assert line != "", f"it ended without {words!r}"


async def test_match_is_played_again_with_another_deal_of_the_same_secret(
    polynya: list[str], url: DatabaseUrl, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cup = tmp_path / "cup.toml"
    cup.write_text(CUP)
    ports = [("--standby", "--port", str(port)) for port in free_ports(2)]
    async with AsyncExitStack() as stack:
        first = stack.enter_context(running(polynya, cup, url, *ports[0]))
        await until(first, "listening on")
        second = stack.enter_context(running(polynya, cup, url, *ports[1]))
        await until(second, "standing by")
        before = await connect(stack, int(ports[0][-1]))
        turns = await together(*before)
        await before[0].move(turns[0], [turns[0]["legal"][0]])
        await before[0].send(type="ping", nonce="answered")
        await before[0].expect("pong")
        first.kill()
        await until(second, "listening on")
        after = await connect(stack, int(ports[1][-1]))
        overs = [await together(*after, until="match_over") for _ in range(2)]
        _, log = await trio.to_thread.run_sync(lambda: second.communicate(timeout=PATIENCE_S))
        assert second.returncode == 0, log
    [interrupted] = before[0].of_type("match_start")
    assert [over[0]["match"] for over in overs] == ["cup-1.2", "cup-2"]
    with Store.open(url) as store:
        assert store.tournaments.is_complete("cup")
        reasons = {row.match: row.reason for row in store.matches.find()}
        [recorded] = store.tournaments.secrets("cup")
        late = store.matches.public_deal("cup-1")
    assert reasons == {"cup-1": "aborted", "cup-1.2": "finished", "cup-2": "finished"}
    assert interrupted["commitment"] == deal_commitment(recorded.secret.deal(1, 1))
    assert late is not None
    assert (late.deal, late.secret) == (recorded.secret.deal(1, 1), recorded.secret.hex)
    assert overs[0][0]["deal"] == recorded.secret.deal(1, 2)
    bundle = str(tmp_path / "cup.zip")
    key = ("--key", str(tmp_path / "cup.key"))
    address = ("--database", url.secret)
    assert run(["tournament", "report", "cup", *address, *key, "--bundle", bundle]) == 0
    assert run(["tournament", "verify", bundle]) == 0
    counted = "match 1 was begun 2 times: 1 finished, 1 ended by a crash, without a replay"
    assert counted in capsys.readouterr().out
