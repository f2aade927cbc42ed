"""``polynya ratings analyse``: one estimate from any selection of what is recorded."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import msgspec
import pytest
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_app.application import run
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock
from polynya_store import Attempt, Store, StoreJournal

DAY_MS = 86_400_000


async def play(journal: StoreJournal, number: int, *names: str, clock_ms: int = 60_000) -> None:
    """A ladder match that its first bot wins, on the day of its number."""
    setup = setup_of(f"ladder-{number}", *names)
    setup = msgspec.structs.replace(setup, clock=Clock(initial_ms=clock_ms))
    setup = await journal.begin(Attempt(setup, RatingSettings()))
    record = record_of(setup, list(range(1, 1 + len(names))))
    await journal.finish(msgspec.structs.replace(record, finished_ms=number * DAY_MS))


@pytest.fixture
async def ladder(store: Store, journal: StoreJournal) -> Store:
    for number in range(0, 12, 3):
        await play(journal, number + 1, "ann", "bob")
        await play(journal, number + 2, "bob", "cid", clock_ms=200_000)
        await play(journal, number + 3, "bob", "ann")
    return store


def analysed(store: Store, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert run(["ratings", "analyse", "--database", str(store.address), "--json", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    return {
        "matches": sum(one["matches"] for one in found["matches"]),
        "bots": sorted(one["name"] for one in found["bots"]),
    }


@pytest.mark.parametrize(
    ("words", "matches", "bots"),
    [
        ([], 12, ["ann", "bob", "cid"]),
        (["--game", "packeis", "--players", "2"], 12, ["ann", "bob", "cid"]),
        (["--clock", "bullet"], 8, ["ann", "bob"]),
        (["--clock", "blitz"], 4, ["bob", "cid"]),
        (["--since", "1970-01-11"], 3, ["ann", "bob", "cid"]),
        (["--until", "1970-01-03"], 1, ["ann", "bob"]),
        (["--bots", "ann", "bob"], 8, ["ann", "bob"]),
        (["--options", ""], 12, ["ann", "bob", "cid"]),
    ],
)
async def test_a_selection_is_analysed(
    ladder: Store,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    matches: int,
    bots: list[str],
) -> None:
    assert analysed(ladder, capsys, *words) == {"matches": matches, "bots": bots}


async def test_annulled_matches_do_not_count(
    ladder: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    ladder.interventions.annul("cid", 0, "it cheated")
    assert analysed(ladder, capsys) == {"matches": 8, "bots": ["ann", "bob"]}


async def test_the_table_says_what_was_looked_at(
    ladder: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "ratings",
        "analyse",
        "--database",
        str(ladder.address),
        "--csv",
        str(tmp_path / "t"),
    ]
    assert run(command) == 0
    said = capsys.readouterr().out
    assert said.startswith("packeis, 2 players: 12 matches (8 bullet and 4 blitz)")
    with (tmp_path / "t" / "ratings.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["bot"] for row in rows} == {"ann", "bob", "cid"}
    assert all(float(row["rating"]) for row in rows)


async def test_several_games_are_never_mixed(
    ladder: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await play(journal, 99, "ann", "bob", "cid")
    assert run(["ratings", "analyse", "--database", str(ladder.address)]) == 2
    assert "choose one with --game and --players" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "arktia"], "holds no results of this selection"),
        (["--bots", "nobody"], "nobody"),
        (["--tournament", "nix"], "no tournament nix"),
        (["--since", "yesterday"], "since"),
    ],
)
async def test_what_selects_nothing_is_said(
    ladder: Store, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(["ratings", "analyse", "--database", str(ladder.address), *words]) != 0
    assert said in capsys.readouterr().err
