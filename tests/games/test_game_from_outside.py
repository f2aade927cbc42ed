"""The example game is installed as its README says, and is a game like ours from then on.

pip puts it into a folder of its own, so that the environment of the tests stays as it is.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from tests.folders import ROOT

NIM = ROOT / "examples" / "games" / "nim"
CUP = """
name = "cup"
game = "nim"
players = 5
clock = { move_ms = 60000 }
database = "cup.sqlite"
""" + "".join(f'[[bots]]\nname = "bot-{number}"\nbuiltin = "random"\n' for number in range(6))
LINKING = ("/matches/cup-1", "/tournaments/cup")
PIP = ("pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps")


class Installed:
    """A Python with the example game, started away from the checkout."""

    def __init__(self, packages: Path, folder: Path) -> None:
        self._environment = {**os.environ, "PYTHONPATH": str(packages)}
        self._folder = folder

    def write(self, name: str, text: str) -> None:
        """A file in the folder in which the commands are given."""
        (self._folder / name).write_text(text)

    def polynya(self, *words: str, entered: str = "") -> str:
        """What a ``polynya`` command that succeeds prints."""
        return self.python("-c", "from polynya_app import main; main()", *words, entered=entered)

    def python(self, *words: str, entered: str = "") -> str:
        """What Python prints when it succeeds."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self._folder,
            env=self._environment,
            input=entered,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def pages(self, database: str) -> Iterator[str]:
        """The address of the web pages of a database."""
        words = ("web", "--database", database, "--port", "0")
        program = "from polynya_app import main; main()"
        with subprocess.Popen(
            [sys.executable, "-c", program, *words],
            cwd=self._folder,
            env=self._environment,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield next(
                    line.removeprefix("web pages on ").strip()
                    for line in process.stderr or ()
                    if line.startswith("web pages on ")
                )
            finally:
                process.kill()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    packages, folder = (tmp_path_factory.mktemp(name) for name in ("packages", "elsewhere"))
    nowhere = Installed(folder, folder)
    nowhere.python("-m", *PIP, "--target", str(packages), str(NIM))
    return Installed(packages, folder)


def test_outside_game_is_listed_with_its_distribution(installed: Installed) -> None:
    games = {
        game["name"]: game for game in json.loads(installed.polynya("games", "list", "--json"))
    }
    assert games["nim"] == {
        "name": "nim",
        "package": "polynya-nim",
        "error": None,
        "title": "Nim",
        "min_players": 2,
        "max_players": 6,
        "options": [
            {
                "name": "heaps",
                "default": None,
                "description": "the stones in each of 1 to 8 heaps, 1 to 20 each",
            }
        ],
    }


@pytest.mark.parametrize("options", [(), ("--option", "heaps=[1]"), ("--option", "heaps=[20, 2]")])
def test_outside_game_passes_the_check(installed: Installed, options: tuple[str, ...]) -> None:
    findings = json.loads(installed.polynya("games", "check", "nim", "--json", *options))
    assert [finding for finding in findings if not finding["ok"]] == []
    assert len(findings) > 10


@pytest.mark.parametrize("bots", [2, 3, 6])
def test_outside_game_is_played_over_tcp_and_its_replays_verify(
    installed: Installed, bots: int
) -> None:
    database = ("--database", f"nim-{bots}.sqlite")
    clock = ("--move-ms", "60000")
    names = ["random"] * bots
    played = installed.polynya(
        "match", *names, "--game", "nim", "--games", "2", "--json", *clock, *database
    )
    result = json.loads(played)
    assert (result["game"], result["played"], result["complete"]) == ("nim", bots, True)
    assert [bot["forfeits"] for bot in result["bots"]] == [0] * bots
    verified = json.loads(installed.polynya("replay", "verify", "--all", "--json", *database))
    assert verified == {"verified": bots, "differing": {}, "unreadable": {}}


class Cup:
    """A tournament of the game that is over, with matches of five bots.

    Attributes:
        installed: the environment in which it was played.
        table: its result, as JSON.
    """

    def __init__(self, installed: Installed) -> None:
        self.installed = installed
        installed.write("cup.toml", CUP)
        played = installed.polynya("tournament", "run", "cup.toml", "--json")
        self.table = json.loads(played)


@pytest.fixture(scope="module")
def cup(installed: Installed) -> Cup:
    return Cup(installed)


def test_a_tournament_of_it_has_matches_of_five(cup: Cup) -> None:
    assert (cup.table["game"], cup.table["complete"]) == ("nim", True)
    # Six pods of five out of six bots, each a block of five matches.
    assert [row["games"] for row in cup.table["rows"]] == [25] * 6
    assert sum(row["points"] for row in cup.table["rows"]) == 6 * 5 * 10


def test_a_tournament_of_it_is_rated(cup: Cup) -> None:
    words = ("--game", "nim", "--players", "5", "--database", "cup.sqlite", "--json")
    ratings = json.loads(cup.installed.polynya("ratings", "show", *words))
    assert len(ratings) == 6


def test_a_tournament_of_it_has_a_report_that_is_verified(cup: Cup) -> None:
    database = ("--database", "cup.sqlite")
    cup.installed.polynya("tournament", "report", "cup", *database, "--bundle", "cup.zip")
    said = cup.installed.polynya("tournament", "verify", "cup.zip")
    assert "cup: 30 replays played again, nothing differs" in said.splitlines()


def test_a_tournament_of_it_has_pages(cup: Cup) -> None:
    with cup.installed.pages("cup.sqlite") as address:
        for path in ("/tournaments/cup", "/ladder/nim/5", "/matches/cup-1", "/bots/bot-0"):
            assert httpx2.get(address + path, timeout=120).status_code == 200, path


def test_outside_game_brings_its_rules_to_the_pages(cup: Cup) -> None:
    with cup.installed.pages("cup.sqlite") as address:
        listed = httpx2.get(f"{address}/rules", timeout=120).text
        rules = httpx2.get(f"{address}/rules/nim", timeout=120).text
        linking = [httpx2.get(address + path, timeout=120).text for path in LINKING]
    assert "/rules/nim" in listed
    assert all('href="/rules/nim"' in text for text in linking)
    assert '<h1 lang="en">Nim, for bot authors</h1>' in rules
    assert "<strong>Set-up.</strong> The option <code>heaps</code>" in rules


def test_outside_game_brings_its_board_to_the_pages(cup: Cup) -> None:
    with cup.installed.pages("cup.sqlite") as address:
        shown = httpx2.get(f"{address}/api/v1/matches/cup-1/frames", timeout=120).json()
    first = shown["frames"][0]
    heaps = first["state"]["heaps"]
    assert first["rows"] == [f" {heap}  {'o' * stones}" for heap, stones in enumerate(heaps)]
    grid = first["board"]
    stone = {"colour": "ice", "shape": "disc"}
    discs = [sum(grid["kinds"][cell] == stone for cell in row) for row in grid["cells"]]
    assert (grid["kind"], discs) == ("grid", heaps)


def test_outside_game_brings_its_board_to_the_terminal(cup: Cup) -> None:
    database = ("--database", "cup.sqlite")
    begun = cup.installed.polynya("replay", "show", "cup-1", "--turn", "0", *database)
    later = cup.installed.polynya("replay", "show", "cup-1", "--turn", "1", *database)
    assert begun.splitlines()[0].startswith(" 0  ooo")
    assert later != begun
    assert len(later.splitlines()) == 4


def test_outside_game_shows_its_scores_during_a_match(cup: Cup) -> None:
    with cup.installed.pages("cup.sqlite") as address:
        shown = httpx2.get(f"{address}/api/v1/matches/cup-1/frames", timeout=120).json()
    scores = [frame["scores"] for frame in shown["frames"]]
    assert {tuple(now) for now in scores[:-1]} == {(0, 0, 0, 0, 0)}
    assert sorted(scores[-1]) == [0, 0, 0, 0, 1]


def test_bot_of_the_outside_game_wins_forced_wins(installed: Installed) -> None:
    bot = f"{sys.executable} {NIM / 'nim_bot.py'}"
    first_player_wins = ("--option", "heaps=[3, 5, 7]")
    clock = ("--move-ms", "60000")
    played = installed.polynya(
        "match", bot, "random", "--game", "nim", "--json", *first_player_wins, *clock
    )
    points = {row["name"]: row["points"] for row in json.loads(played)["bots"]}
    assert points["nim_bot"] >= 1, "it moves first in one of the two matches"


def test_outside_game_is_traced_into_the_middle_of_a_turn(installed: Installed) -> None:
    steps = '{"step": ["take", 1]}\n{"step": ["take", 0]}\n{"step": ["stop"]}\n{"step": ["stop"]}\n'
    heaps = ("--option", "heaps=[1, 2]")
    lines = installed.polynya("trace", "nim", "--players", "2", *heaps, entered=steps).splitlines()
    initial, taken, other_heap, stopped, nothing_taken = map(json.loads, lines)
    assert initial["legal"] == [["take", 0], ["take", 1]]
    assert (taken["legal"], taken["turn_over"]) == ([["stop"], ["take", 1]], False)
    assert other_heap == {"error": 'the steps that are legal now are [["stop"], ["take", 1]]'}
    assert (stopped["state"]["to_move"], stopped["turn_over"]) == (1, True)
    assert "legal now" in nothing_taken["error"]


def test_outside_game_is_an_environment_of_pettingzoo(installed: Installed) -> None:
    program = """
import warnings
from pettingzoo.test import api_test, seed_test
from polynya_games.rl import env
warnings.simplefilter("ignore")  # PettingZoo has a list of environments it does not warn about
for players in (2, 3, 4):
    api_test(env("nim", players))
    seed_test(lambda: env("nim", players))
"""
    assert installed.python("-c", program).count("Passed API test") == 3


def test_the_page_for_authors_quotes_it() -> None:
    page = (ROOT / "games" / "README.md").read_text(encoding="utf-8")
    section = page.split("## Add a game from outside")[1]
    quoted = re.findall(r"^ *```(?:python|toml)\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
    files = [(NIM / name).read_text() for name in ("polynya_nim.py", "pyproject.toml")]
    ours = [line.strip() for line in "\n".join(files).splitlines()]
    assert len(quoted) == 5
    for lines in (block.split("\n") for block in quoted):
        stripped = [line.strip() for line in lines if line]
        start = ours.index(stripped[0])
        assert ours[start : start + len(stripped)] == stripped


def test_golden_playthrough_of_the_outside_game_is_current(installed: Installed) -> None:
    golden = installed.python("-m", "polynya_games.playthrough", "nim", "3")
    assert golden == (NIM / "nim-3.txt").read_text()
