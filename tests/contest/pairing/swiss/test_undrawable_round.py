"""A Swiss round that cannot be drawn ends the tournament: said everywhere, and no error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polynya_app.application import run

ENDED = "round 4 of 6 cannot be drawn: all remaining bots have met"
MANY = "swiss.rounds: 6 rounds are many for 4 bots; only 2 can surely be drawn"


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("undrawable") / "cup.toml"
    bots = "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in "abcd")
    file.write_text(
        'name = "cup"\ngame = "icecult"\noptions = { turn_limit = 2 }\nformat = "swiss"\n'
        f"swiss = {{ rounds = 6 }}\nclock = {{ move_ms = 60000 }}\n{bots}"
    )
    return file


@pytest.fixture(scope="module")
def database(description: Path) -> Path:
    """The tournament, played to its end."""
    path = description.with_name("cup.sqlite")
    assert run(["tournament", "run", str(description), "--database", str(path)]) == 0
    return path


def test_the_run_warns_of_too_many_rounds_and_says_which_could_not_be_drawn(
    description: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "again.sqlite"
    assert run(["tournament", "run", str(description), "--database", str(path)]) == 0
    told = capfd.readouterr()
    said = " ".join((told.out + told.err).split())
    assert MANY in said
    assert ENDED in said


def test_status_says_it(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["tournament", "status", "cup", "--database", str(database), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert (table["verdict"], table["over"]) == (ENDED, True)


def test_the_report_says_it(database: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert run(["tournament", "report", "--database", str(database), "--html", str(page)]) == 0
    assert ENDED in page.read_text()
