"""``polynya rerun``: a bot is sent what a seat was sent, and its answers are compared."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from polynya_server.records import MatchRecord, TurnRecord, encode_replay
from polynya_tournaments.cli.application import run
from polynya_tournaments.config.builtin_bots import BotCommand, builtin_command
from polynya_tournaments.errors import ConfigurationError, RunError
from polynya_tournaments.replay.rerun import rerun

MakeRecord = Callable[..., MatchRecord]
BOT = """
import json, sys
from polynya_client import Bot, run

class Prompted(Bot):
    def __init__(self):
        self.turns = json.load(open(sys.argv[1]))

    def turn(self, turn):
        assert turn.legal
        return self.turns[str(turn.number)]

run(Prompted(), wants=["state", "legal", "moved"])
"""


def prompted(folder: Path, record: MatchRecord, **changes: list[list[object]]) -> list[str]:
    """The command of a bot that plays what is recorded for all seats, with some turns changed."""
    turns = {str(e.turn): e.steps for e in record.events if isinstance(e, TurnRecord)}
    (folder / "bot.py").write_text(BOT)
    (folder / "turns.json").write_text(json.dumps({**turns, **changes}))
    return [sys.executable, str(folder / "bot.py"), str(folder / "turns.json")]


def replay(folder: Path, record: MatchRecord) -> str:
    (folder / "match.replay").write_bytes(encode_replay(record))
    return str(folder / "match.replay")


@pytest.mark.parametrize(("game", "players"), [("packeis", 2), ("icecult", 3)])
def test_bot_that_plays_the_same_is_exit_code_0(
    played: MakeRecord, tmp_path: Path, game: str, players: int, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played(game, players)
    arguments = ["rerun", replay(tmp_path, record), "--seat", "1", "--json", "--"]
    assert run([*arguments, *prompted(tmp_path, record)]) == 0
    recorded = [e.steps for e in record.events if isinstance(e, TurnRecord) and e.seat == 1]
    assert [answer["now"] for answer in json.loads(capsys.readouterr().out)] == recorded


def test_difference_is_shown_and_the_match_goes_on_as_recorded(
    played: MakeRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played()
    command = prompted(tmp_path, record, **{"3": [["move", 0, 0]]})
    assert run(["rerun", replay(tmp_path, record), "--seat", "0", "--json", "--", *command]) == 1
    answers = json.loads(capsys.readouterr().out)
    assert [answer["turn"] for answer in answers if not answer["same"]] == [3]
    assert answers[1]["now"] == [["move", 0, 0]]
    assert len(answers) > 2


def test_table_counts_the_differences(
    played: MakeRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played()
    command = prompted(tmp_path, record, **{"1": [["move", 0, 0]]})
    assert run(["rerun", replay(tmp_path, record), "--seat", "0", "--", *command]) == 1
    shown = capsys.readouterr().out
    assert "differs" in shown
    assert "1 of " in shown.splitlines()[-1]


def test_seat_that_was_not_asked_has_no_table(
    played: MakeRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = replay(tmp_path, played(timeouts=(1,)))
    assert run(["rerun", file, "--seat", "1", "--", "greedy"]) == 0
    said = "this seat was not asked for a turn\n0 of 0 answers differ\n"
    assert capsys.readouterr().out == said


async def test_turn_that_was_lost_on_time_is_asked_for_too(
    played: MakeRecord, tmp_path: Path
) -> None:
    record = played(timeouts=(5,))
    command = prompted(tmp_path, record, **{"5": [["place", 0]]})
    answers = await rerun(record, 0, BotCommand(tuple(command), {}))
    assert (answers[-1].turn, answers[-1].recorded, answers[-1].now) == (5, None, [["place", 0]])
    assert answers[-1].recorded_ms == 101


async def test_bot_that_ends_is_a_sentence_with_its_last_words(
    played: MakeRecord, tmp_path: Path
) -> None:
    command = prompted(tmp_path, played())
    (tmp_path / "turns.json").write_text("{}")
    with pytest.raises(RunError, match=r"no move: it said goodbye .*KeyError: '1'"):
        await rerun(played(), 0, BotCommand(tuple(command), {}))


async def test_bot_that_ends_before_it_connects_is_reported_once_with_its_output(
    played: MakeRecord,
) -> None:
    command = BotCommand((sys.executable, "-c", "import sys; sys.exit('no brain')"), {})
    with pytest.raises(RunError) as refused:
        await rerun(played(), 0, command, start_s=120)
    told = "the bot: it ended with exit code 1 and did not connect; it wrote: no brain"
    assert str(refused.value) == told


async def test_seat_that_the_match_has_not(played: MakeRecord) -> None:
    with pytest.raises(ConfigurationError, match="the seats 0 to 1, not 2"):
        await rerun(played(), 2, builtin_command("random"))


@pytest.mark.parametrize("words", [[], ["--", "no-such-program"]])
def test_command_that_cannot_be_started_is_exit_code_2(
    played: MakeRecord, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rerun", replay(tmp_path, played()), "--seat", "0", *words]) == 2
    assert "name the bot's command after --" in capsys.readouterr().err
