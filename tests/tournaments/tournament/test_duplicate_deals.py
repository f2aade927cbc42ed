"""A run with duplicate deals: no spectator sees a match, and no bot is told the deal."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from tests.games.example_games import example_games
from tests.scripted import connected
from tests.tournaments.tournament.test_delayed_results import Begun

from polynya_app.application import run
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_protocol.messages import Clock
from polynya_server.records import decode_replay
from polynya_store import Store
from polynya_tournaments.tournament.runner import run_tournament

__all__ = ["example_games"]

SHORT = ("--game", "kuhn", "--move-ms", "60000", "--duplicate")


def test_match_plays_them_unrated_where_a_bot_may_remember_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "contest.sqlite"
    assert run(["match", "random", "random", *SHORT, "--games", "2", "--database", str(path)]) == 0
    assert "with duplicate deals these matches are not rated: " in capsys.readouterr().err
    with Store.open(path) as store:
        records = [decode_replay(document) for _, document in store.matches.replays()]
    assert len({record.setup.deal for record in records}) == 1
    assert [record.setup.rated for record in records] == [False, False]


def test_match_and_report_say_how_much_they_narrow_the_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = tmp_path / "contest.sqlite", tmp_path / "report.html"
    words = [*SHORT, "--games", "20", "--seed", "7"]
    assert run(["match", "random", "random", *words, "--database", str(path)]) == 0
    said = capsys.readouterr().out
    assert "Duplicate deals made the intervals" in said
    assert run(["tournament", "report", "--database", str(path), "--html", str(page)]) == 0
    assert "Duplicate deals made the intervals" in capsys.readouterr().out
    assert "Duplicate deals made the intervals" in page.read_text()
    assert run(["tournament", "verify", str(page)]) == 0


async def test_spectator_sees_no_match_of_them(tmp_path: Path) -> None:
    """Neither the board of the public nor that a match is in play."""
    watcher = Begun()
    cup = TournamentConfiguration(
        name="cup",
        game="kuhn",
        duplicate=True,
        bots=[BotConfiguration(name=name, builtin="random") for name in ("ann", "bob")],
        clock=Clock(move_ms=60_000),
        start_ms=120_000,
        logs=str(tmp_path),
    )
    with Store.open(tmp_path / "cup.sqlite", for_play=True) as store:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_tournament, cup, store, watcher)
            await watcher.begun.wait()
            assert watcher.address is not None
            async with connected(watcher.address.host, watcher.address.port) as client:
                await client.hello(role="spectator")
                await client.send(type="watch", all=True)
                heard = await client.expect_end()
        assert store.tournaments.is_complete("cup")
    assert [each for each in heard if each["type"] != "goodbye"] == []
