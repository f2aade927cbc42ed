"""Set-up options in a tournament's file: played over TCP by bots that read them, and verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polynya_app.application import run
from polynya_games import load
from polynya_server.records import decode_replay
from polynya_store import Store

SHIFTED = "[[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]]"
RING = "[[4, 4], [5, 3], [[2, 2], [2, 10]], [[2, 1], [2, 11]], [[2, 2], [2, 10]], [5, 3], [4, 4]]"
STANDARD = json.dumps(load("icecult").setup(2, 0, {"setup": "standard"}).to_json()["blocks"])
CASES = [
    ("packeis", '{ layout = "even" }'),
    ("packeis", f"{{ rows = {SHIFTED} }}"),
    ("packeis", f"{{ rows = {SHIFTED}, fish = {[1, 3, 2] * 20} }}"),
    ("arktia", f"{{ rows = {RING}, round_limit = 3 }}"),
]


def played(folder: Path, text: str) -> list[Any]:
    """The records of a tournament of the built-in bots greedy and random."""
    (folder / "cup.toml").write_text(
        f"""
name = "cup"
players = 2
seed = 5
{text}
[clock]
initial_ms = 600000
[[bots]]
name = "greedy"
builtin = "greedy"
[[bots]]
name = "random"
builtin = "random"
"""
    )
    database = folder / "cup.sqlite"
    assert run(["tournament", "run", str(folder / "cup.toml"), "--database", str(database)]) == 0
    assert run(["replay", "verify", "--all", "--database", str(database)]) == 0
    with Store.open(database) as store:
        return [decode_replay(document) for _, document in store.matches.replays()]


@pytest.mark.parametrize(("game", "options"), CASES)
def test_option_is_played_over_tcp_and_its_replays_verify(
    tmp_path: Path, game: str, options: str
) -> None:
    records = played(tmp_path, f'game = "{game}"\noptions = {options}')
    assert len(records) == 2
    assert all(not record.forfeits for record in records)
    assert all(record.termination in ("finished", "limit") for record in records)


def test_value_in_a_file_beside_the_tournament_is_played(tmp_path: Path) -> None:
    (tmp_path / "blocks.json").write_text(STANDARD)
    options = '{ blocks = "@blocks.json", turn_limit = 8 }'
    records = played(tmp_path, f'game = "icecult"\noptions = {options}')
    expected = {"blocks": json.loads(STANDARD), "turn_limit": 8}
    assert [record.setup.options for record in records] == [expected, expected]


def test_missing_file_of_an_option_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AssertionError):
        played(tmp_path, 'game = "packeis"\noptions = { rows = "@board.json" }')
    assert "board.json' cannot be read: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "9" * 5000, f"{{ rows = {'[' * 50_000}1{']' * 50_000} }}"],
    ids=["open brackets", "digits", "deep rows"],
)
def test_file_that_nests_too_deeply_is_refused_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    with pytest.raises(AssertionError):
        played(tmp_path, f'game = "packeis"\noptions = {text}')
    error = capsys.readouterr().err
    assert error.startswith("polynya: ")
    assert len(error.splitlines()) == 1
