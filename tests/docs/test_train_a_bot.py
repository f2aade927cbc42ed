"""The page on training: its programs run, and its tables say what the encodings do."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.folders import DOCS
from tests.games.example_games import example_games_of_processes

from polynya_games import load
from polynya_games.arktia.position import NEUTRALS, muglus_in_play

PAGE = (DOCS / "train-a-bot.md").read_text(encoding="utf-8")
GAMES = ("packeis", "arktia", "icecult")
__all__ = ["example_games_of_processes"]

POLYNYA = [sys.executable, "-c", "from polynya_app import main; main()"]


def program(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def run_program(name: str) -> str:
    """The output of a program of the page, which has no errors."""
    done = subprocess.run([sys.executable, "-c", program(name)], capture_output=True, text=True)
    assert done.stderr == ""
    return done.stdout


def match_against_random(bot: Path, game: str, *options: str) -> Any:
    """The result of two matches of a bot, as JSON."""
    words = ["match", f"{sys.executable} {bot}", "random", "--game", game, "--json", *options]
    done = subprocess.run(
        [*POLYNYA, *words, "--move-ms", "60000"], capture_output=True, text=True, timeout=600
    )
    return json.loads(done.stdout)


def test_the_random_match_prints_both_rewards() -> None:
    said = run_program("random_match.py")
    agents, rewards = zip(*(line.split() for line in said.splitlines()), strict=True)
    assert agents == ("seat_0", "seat_1")
    assert sorted(rewards) in (["-1.0", "1.0"], ["0.0", "0.0"])


@pytest.mark.parametrize("game", GAMES)
def test_the_trained_bot_plays_matches_over_tcp(game: str, tmp_path: Path) -> None:
    bot = tmp_path / "trained_bot.py"
    bot.write_text(program("trained_bot.py"), encoding="utf-8")
    limits = {"packeis": [], "arktia": ["round_limit=3"], "icecult": ["turn_limit=6"]}
    options = [word for option in limits[game] for word in ("--option", option)]
    result = match_against_random(bot, game, *options)
    assert [(bot["games"], bot["forfeits"]) for bot in result["bots"]] == [(2, 0), (2, 0)]


@pytest.mark.usefixtures("example_games_of_processes")
def test_the_joint_match_prints_rewards_that_add_up_to_zero() -> None:
    done = run_program("random_joint_match.py")
    rewards = re.findall(r"'seat_\d': (-?[\d.]+)", done)
    assert len(rewards) == 3
    assert sum(map(float, rewards)) == 0


@pytest.mark.usefixtures("example_games_of_processes")
def test_the_program_that_learns_kuhn_poker_comes_to_its_value() -> None:
    said = run_program("train_kuhn.py")
    assert said in PAGE
    learnt = re.fullmatch(r"first player: (-0\.\d+) chips a hand\n", said)
    assert learnt is not None
    assert float(learnt[1]) == pytest.approx(-1 / 18, abs=0.002)


@pytest.mark.usefixtures("example_games_of_processes")
@pytest.mark.parametrize("game", ["kuhn", "goofspiel", "snakes"])
def test_the_trained_bot_plays_from_views_over_tcp(game: str, tmp_path: Path) -> None:
    bot = tmp_path / "trained_bot.py"
    bot.write_text(program("trained_bot_of_a_view.py"), encoding="utf-8")
    result = match_against_random(bot, game)
    assert [(bot["games"], bot["forfeits"]) for bot in result["bots"]] == [(2, 0), (2, 0)]


def product(text: str, values: dict[str, int]) -> int:
    """The value of "k · 3 · c"."""
    factors = [word.strip().replace(",", "") for word in text.split("·")]
    return math.prod(values[word] if word in values else int(word) for word in factors)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_tables_list_the_parts(game: str, players: int) -> None:
    table = PAGE.split(f"(`{game}`)")[1].split("\n\n")[1]
    neutrals = NEUTRALS[players][0]
    values = {"p": players, "c": muglus_in_play(players, neutrals), "k": players + neutrals}
    rows = [row.strip("|").split("|") for row in table.splitlines()[2:]]
    listed = [
        (name, product(size, values), product(high, values))
        for names, size, high, _ in rows
        for name in re.findall(r"`(\w+)`", names)
    ]
    assert listed == [
        (part.name, part.size, part.high) for part in load(game).encoding(players).parts
    ]


@pytest.mark.parametrize("game", GAMES)
def test_the_numbers_of_actions_are_right(game: str) -> None:
    told = re.search(rf"\(`{game}`\), (.*)", PAGE)
    assert told is not None
    counts = {f"{len(load(game).encoding(players).steps):,}" for players in (2, 3, 4)}
    assert counts == set(re.findall(r"\d[\d,]*\d", told[1]))
