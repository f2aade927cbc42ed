"""``polynya rerun``: a bot is sent what a seat was sent, and its answers are compared."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from polynya_app.application import run
from polynya_common.errors import ConfigurationError, RunError
from polynya_conformance.replay.rerun import Answer, rerun
from polynya_contest.config.builtin_bots import BotCommand, builtin_command
from polynya_protocol.messages import ForfeitReason
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord, encode_replay

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
    said = "seat 1 is bot1\nthis seat was not asked for a turn\n0 of 0 answers differ\n"
    assert capsys.readouterr().out == said


async def test_turn_that_was_lost_on_time_is_asked_for_too(
    played: MakeRecord, tmp_path: Path
) -> None:
    record = played(timeouts=(5,))
    command = prompted(tmp_path, record, **{"5": [["place", 0]]})
    answers = await rerun(record, 0, BotCommand(tuple(command), {}))
    assert (answers[-1].turn, answers[-1].recorded, answers[-1].now) == (5, None, [["place", 0]])
    assert answers[-1].recorded_ms == 101


async def test_bot_that_crashes_is_shown_with_its_last_message_and_its_traceback(
    played: MakeRecord, tmp_path: Path
) -> None:
    command = prompted(tmp_path, played())
    (tmp_path / "turns.json").write_text("{}")
    *_, last = await rerun(played(), 0, BotCommand(tuple(command), {}))
    assert last.crash is not None
    assert last.crash.sentence == "no move: it said goodbye (the bot ended by KeyError)"
    message = json.loads(last.crash.last_message)
    assert (message["type"], message["turn"]) == ("turn", 1)
    assert any(line.startswith(f'  File "{tmp_path / "bot.py"}"') for line in last.crash.output)
    assert last.crash.output[-1] == "KeyError: '1'"


def test_crash_is_exit_code_1_below_the_answers_before_it(
    played: MakeRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played()
    command = prompted(tmp_path, record)
    turns = json.loads((tmp_path / "turns.json").read_text())
    (tmp_path / "turns.json").write_text(json.dumps({"1": turns["1"]}))
    assert run(["rerun", replay(tmp_path, record), "--seat", "0", "--json", "--", *command]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["same"], "crash" in first) == (True, False)
    assert (second["turn"], second["now"]) == (3, None)
    assert second["crash"]["output"][-1] == "KeyError: '3'"


def lost_by(record: MatchRecord, reason: str) -> MatchRecord:
    """The record of a lost match, as if it had been lost for this reason."""
    events = [
        msgspec.structs.replace(event, reason=reason) if isinstance(event, ForfeitRecord) else event
        for event in record.events
    ]
    return msgspec.structs.replace(record, events=events)


@pytest.mark.parametrize(
    ("answer", "code", "why"),
    [([["place", 0]], 1, True), (None, 0, False)],
    ids=["an illegal answer", "a legal answer"],
)
def test_match_lost_by_an_illegal_move_is_exit_code_0_when_the_answer_is_legal(
    played: MakeRecord,
    tmp_path: Path,
    answer: list[list[object]] | None,
    code: int,
    why: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    turns = {str(e.turn): e.steps for e in played().events if isinstance(e, TurnRecord)}
    lost = lost_by(played(timeouts=(5,)), "illegal_move")
    command = prompted(tmp_path, lost, **{"5": answer or turns["5"]})
    arguments = ["rerun", replay(tmp_path, lost), "--seat", "0", "--json", "--", *command]
    assert run(arguments) == code
    last = json.loads(capsys.readouterr().out)[-1]
    assert (last["turn"], bool(last["illegal"])) == (5, why)


def refused(record: MatchRecord, steps: object, left_out: int = 0) -> MatchRecord:
    """The record of a match that was lost by these steps."""
    events = [
        msgspec.structs.replace(event, refused_steps=steps, refused_left_out=left_out)
        if isinstance(event, ForfeitRecord)
        else event
        for event in lost_by(record, "illegal_move").events
    ]
    return msgspec.structs.replace(record, events=events)


@pytest.mark.parametrize(
    ("now", "left_out", "words", "shown"),
    [
        ([["place", 0]], 0, "illegal", '[["place", 0]] (refused)'),
        ([["place", 0], ["end"]], 0, "differs, illegal", '[["place", 0]] (refused)'),
        ([["place", 0]], 2, "differs, illegal", '[["place", 0]] and 2 more (refused)'),
    ],
)
def test_steps_that_were_refused_stand_beside_those_of_today(
    played: MakeRecord,
    tmp_path: Path,
    now: list[list[object]],
    left_out: int,
    words: str,
    shown: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = refused(played(timeouts=(5,)), [["place", 0]], left_out)
    command = prompted(tmp_path, lost, **{"5": now})
    assert run(["rerun", replay(tmp_path, lost), "--seat", "0", "--", *command]) == 1
    [row] = [line for line in capsys.readouterr().out.splitlines() if shown in line]
    assert words in row


def test_refused_steps_are_in_the_json_of_rerun(
    played: MakeRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = refused(played(timeouts=(5,)), [["place", 0]])
    command = prompted(tmp_path, lost, **{"5": [["place", 0]]})
    assert run(["rerun", replay(tmp_path, lost), "--seat", "0", "--json", "--", *command]) == 1
    last = json.loads(capsys.readouterr().out)[-1]
    assert (last["recorded"], last["same"]) == ([["place", 0]], True)
    assert last["refused"]


def test_reason_of_the_loss_and_the_judgement_of_today_are_shown(
    played: MakeRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = lost_by(played(timeouts=(5,)), "illegal_move")
    command = prompted(tmp_path, lost, **{"5": [["place", 0]]})
    assert run(["rerun", replay(tmp_path, lost), "--seat", "0", "--", *command]) == 1
    shown = capsys.readouterr().out
    assert "then: illegal_move in turn 5" in shown
    assert "now: it would lose in turn 5" in shown


@pytest.mark.parametrize(
    ("now_ms", "reason", "loses"),
    [(100, "timeout", False), (101, "timeout", True), (101, "illegal_move", False)],
)
def test_time_counts_where_a_match_was_lost_on_time(
    now_ms: int, reason: ForfeitReason, loses: bool
) -> None:
    answer = Answer(5, None, [["place", 0]], 101, now_ms, limit_ms=100)
    assert answer.loses(reason) is loses


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
