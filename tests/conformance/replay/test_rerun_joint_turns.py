"""``polynya rerun`` of matches with joint turns and hidden parts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.conformance.replay.test_verify_joint_turns import finished, with_a_forfeit
from tests.games.example_games import example_games

from polynya_app.application import run
from polynya_server.records import MatchRecord, encode_replay

__all__ = ["example_games"]

BOT = """
import json, sys
from polynya_client import Bot, run

class Prompted(Bot):
    def __init__(self):
        self.bids = json.loads(sys.argv[1])

    def match_start(self, match):
        assert match.is_view and match.is_joint and "deal" not in match.state

    def turn(self, turn):
        return [["bid", self.bids[turn.number - 1]]]

    def moved(self, match, moved):
        with open(sys.argv[2], "a") as file:
            print(json.dumps([moved.seat, moved.steps, moved.acting]), file=file)

run(Prompted(), wants=["state", "legal"])
"""


def rerun(folder: Path, record: MatchRecord, seat: int, bids: list[int]) -> int:
    (folder / "match.replay").write_bytes(encode_replay(record))
    (folder / "bot.py").write_text(BOT)
    arguments = ["rerun", str(folder / "match.replay"), "--seat", str(seat), "--json", "--"]
    command = [sys.executable, str(folder / "bot.py"), json.dumps(bids), str(folder / "told.json")]
    return run([*arguments, *command])


def test_bot_that_plays_the_same_is_told_all_that_was_told_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = finished()
    assert rerun(tmp_path, record, 1, [3, 1, 2]) == 0
    assert [[["bid", card]] for card in (3, 1)] == [
        answer["now"] for answer in json.loads(capsys.readouterr().out)
    ][:2]
    told = [json.loads(line) for line in (tmp_path / "told.json").read_text().splitlines()[:3]]
    assert told == [
        [0, [["bid", 1]], None],
        [1, [["bid", 3]], None],
        [2, [["bid", 2]], [0, 1, 2]],
    ]


def test_illegal_bid_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rerun(tmp_path, finished(), 0, [9, 2, 3]) == 1
    first, *_ = json.loads(capsys.readouterr().out)
    assert "the cards in the hand are [1, 2, 3]" in first["illegal"]
    assert not first["same"]


def test_seat_that_forfeited_in_a_joint_turn_is_asked_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rerun(tmp_path, with_a_forfeit(), 0, [9])
    [only] = json.loads(capsys.readouterr().out)
    assert (only["now"], only["same"]) == ([["bid", 9]], True)
