"""The bots that come with the SDK play whole matches on the real server, as real processes."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests.clients.matches import HIDDEN_OR_JOINT, forfeits, play, play_briskly
from tests.folders import ROOT

from polynya_server import ForfeitRecord

EXAMPLES = ROOT / "clients" / "python" / "examples"


def python(program: Path) -> list[str]:
    return [sys.executable, str(program)]


def bots(*names: str) -> dict[str, list[str]]:
    return {f"{name}{seat}": python(EXAMPLES / f"{name}_bot.py") for seat, name in enumerate(names)}


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
async def test_random_bot_plays_every_game_without_its_rules(game: str) -> None:
    options = {"turn_limit": 20} if game == "icecult" else {}
    record = await play(bots("random", "random", "random"), game, **options)

    assert (record.reason, forfeits(record)) == ("finished", [])


@pytest.mark.parametrize(("game", "options"), HIDDEN_OR_JOINT)
async def test_random_bot_plays_hidden_cards_and_joint_turns(
    game: str, options: dict[str, int]
) -> None:
    record = await play(bots("random", "random"), game, **options)

    assert (record.reason, forfeits(record)) == ("finished", [])


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
async def test_greedy_bot_plays_every_game(game: str) -> None:
    record = await play(bots("greedy", "greedy"), game)

    assert (record.reason, forfeits(record)) == ("finished", [])


@pytest.mark.parametrize("opponents", [1, 2, 3])
@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
async def test_serious_bot_plays_its_game_and_says_what_it_thinks(
    game: str, opponents: int
) -> None:
    options = {"round_limit": 8} if game == "arktia" else {}
    record = await play_briskly(bots(game, *["greedy"] * opponents), game, **options)

    remarks = [e.info for e in record.events if e.seat == 0 and not isinstance(e, ForfeitRecord)]
    assert (record.reason, forfeits(record)) == ("finished", [])
    assert all(isinstance(info, dict) and "score" in info for info in remarks)


@pytest.mark.parametrize(("game", "options"), [("icecult", {"turn_limit": 20}), *HIDDEN_OR_JOINT])
async def test_bot_written_from_the_docs_alone_plays_a_whole_match(
    game: str, options: dict[str, int], tmp_path: Path
) -> None:
    text = (ROOT / "docs" / "write-a-bot.md").read_text()
    (source,) = re.findall(r"<!-- plain_bot\.py -->\n```python\n(.*?)```", text, re.DOTALL)
    program = tmp_path / "plain_bot.py"
    program.write_text(source)
    record = await play({"plain": python(program), **bots("random")}, game, **options)

    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_first_bot_of_the_docs_plays_a_whole_match(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "write-a-bot.md").read_text()
    program = tmp_path / "my_bot.py"
    program.write_text(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0])
    record = await play({"mine": python(program), **bots("greedy")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])
