"""``polynya-bridge``: programs that speak JSON lines, between a scripted or the real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.clients import matches, toolchains
from tests.clients.matches import HIDDEN_OR_JOINT
from tests.folders import VECTORS_OF_PROTOCOL
from tests.games.example_games import example_games

__all__ = ["example_games"]

BRIDGE = (sys.executable, "-m", "polynya_client.bridge")
EXAMPLES = toolchains.CLIENTS / "bridge" / "examples"
GOODBYE = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]
PRELUDE = """
import json, sys
def say(answer): print(json.dumps(answer), flush=True)
messages = map(json.loads, sys.stdin)
"""
"""What every Python program of these tests begins with."""


@contextmanager
def bridge(
    port: int, program: str | Sequence[str], *arguments: str
) -> Iterator[subprocess.Popen[str]]:
    """The bridge around a Python program, or a command."""
    command = [sys.executable, "-c", PRELUDE + program] if isinstance(program, str) else program
    with subprocess.Popen(
        [*BRIDGE, "--name", "ada", *arguments, "--", *command],
        env={**os.environ, "POLYNYA_PORT": str(port)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code and what it wrote on standard error."""
    _, complaint = process.communicate(timeout=120)
    return process.returncode, complaint


def test_program_answers_a_turn(scripted_server: Any) -> None:
    program = """
for message in messages:
    if message["type"] == "turn":
        say({"steps": message["legal"], "info": {"score": 2.5}})
"""
    with bridge(scripted_server.port, program):
        peer = scripted_server.accept()
        hello = peer.welcome()
        peer.begin_match()
        peer.ask(turn=7, legal=[STEP])

        assert peer.receive() == {
            "type": "move",
            "match": "m1",
            "turn": 7,
            "steps": [STEP],
            "info": {"score": 2.5},
        }
        assert hello["wants"] == ["state", "legal"]


@pytest.mark.parametrize(
    ("arguments", "version"), [((), {}), (("--bot-version", "1.4"), {"version": "1.4"})]
)
def test_hello_names_the_bots_version_if_it_was_given(
    scripted_server: Any, arguments: tuple[str, ...], version: dict[str, str]
) -> None:
    with bridge(scripted_server.port, "for message in messages: pass", *arguments) as process:
        peer = scripted_server.accept()
        hello = peer.welcome()
        peer.send(GOODBYE)
        assert ended(process)[0] == 0
    assert hello["software"] == {"name": "polynya-bridge", "language": "any", **version}


def test_program_asks_what_may_follow(scripted_server: Any) -> None:
    program = """
for message in messages:
    if message["type"] == "turn":
        say({"ask": [["go"]]})
    elif message["type"] == "legal":
        say({"steps": [["go"], *message["legal"]]})
"""
    with bridge(scripted_server.port, program):
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        assert peer.receive() == {"type": "steps", "match": "m1", "turn": 1, "steps": [["go"]]}
        peer.send(
            {"type": "legal", "match": "m1", "turn": 1, "legal": [["end"]], "turn_over": False}
        )

        assert peer.receive()["steps"] == [["go"], ["end"]]


def test_refused_question_ends_the_turn_without_an_answer(scripted_server: Any) -> None:
    program = """
for message in messages:
    if message["type"] == "turn" and message["turn"] == 1:
        say({"ask": [["fly"]]})
    elif message["type"] == "error":
        sentence = message["message"]
    elif message["type"] == "turn":
        say({"steps": [[sentence]]})
"""
    with bridge(scripted_server.port, program):
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        peer.receive()
        peer.send(
            {"type": "error", "code": "malformed", "message": "no verb fly", "fatal": False,
             "match": "m1", "turn": 1}
        )  # fmt: skip
        peer.ask(seq=2, turn=3)

        assert ((move := peer.receive())["turn"], move["steps"]) == (3, [["no verb fly"]])


def test_program_reads_the_protocols_messages(scripted_server: Any, tmp_path: Path) -> None:
    program = f"open({str(tmp_path / 'lines')!r}, 'w').writelines(sys.stdin)"
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        moved = {"type": "moved", "match": "m1", "turn": 1, "seat": 0, "steps": [STEP],
                 "elapsed_ms": 3, "remaining_ms": [None, 5]}  # fmt: skip
        forfeited = {"type": "forfeited", "match": "m1", "seat": 0, "reason": "timeout",
                     "detail": "18 ms too late: \u00e9"}  # fmt: skip
        over = {"type": "match_over", "match": "m1", "ranking": [2, 1], "scores": [3, 4],
                "reason": "forfeit", "detail": None, "replay": "m1",
                "ratings": [{"name": "ada", "before": 1500, "after": 1516}]}  # fmt: skip
        peer.send(moved | {"seq": 1}, forfeited | {"seq": 2}, over | {"seq": 3}, GOODBYE)

        assert ended(process)[0] == 0
    lines = (tmp_path / "lines").read_text("ascii").splitlines()
    assert lines[0].startswith('{"type":"match_start","match":"m1","game":"packeis","seat":1,')
    assert [moved, forfeited, over] == [json.loads(line) for line in lines[1:]]


def test_program_reads_the_keys_of_hidden_and_joint_games(
    scripted_server: Any, tmp_path: Path
) -> None:
    program = f"open({str(tmp_path / 'lines')!r}, 'w').writelines(sys.stdin)"
    about = {"acting": [0, 1], "commitment": "aa", "joint": True, "view": True}
    ends = {"acting": [], "seen": [{"card": 2}]}
    moved = {"type": "moved", "match": "m1", "turn": 1, "seat": 0, "steps": None,
             "elapsed_ms": 3, "remaining_ms": [None, 5], **ends}  # fmt: skip
    forfeited = {"type": "forfeited", "match": "m1", "seat": 0, "reason": "timeout",
                 "detail": "late", "turn": 1, **ends}  # fmt: skip
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match(**about)
        peer.send(moved | {"seq": 1}, forfeited | {"seq": 2}, GOODBYE)
        assert ended(process)[0] == 0
    start, *events = map(json.loads, (tmp_path / "lines").read_text("ascii").splitlines())
    assert about == {key: start[key] for key in about}
    assert [moved, forfeited] == events


def test_stray_prints_are_shown_and_are_no_answer(scripted_server: Any) -> None:
    program = """
print("thinking...", [1, 2], flush=True)
print("a complaint", file=sys.stderr, flush=True)
for message in messages:
    if message["type"] == "turn":
        print("\\x1b[2J", flush=True)
        say({"weather": "cold"})
        say({"steps": [["go"]]})
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        assert peer.receive()["steps"] == [["go"]]
        peer.send(GOODBYE)
        _, complaint = ended(process)

    assert "not a JSON object, so it is only shown: thinking... [1, 2]\n" in complaint
    assert "only shown: \\x1b[2J\n" in complaint
    assert 'no answer that we know: {"weather": "cold"}\n' in complaint
    assert "a complaint\n" in complaint


def test_answer_without_a_question_is_dropped(scripted_server: Any) -> None:
    program = """
for message in messages:
    if message["type"] == "turn" and message["turn"] == 1:
        sys.stdout.write('{"steps": [["one"]]}\\n{"steps": [["one too many"]]}\\n')
        sys.stdout.flush()
    elif message["type"] == "turn":
        say({"steps": [["three"]]})
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        assert peer.receive()["steps"] == [["one"]]
        peer.ask(seq=2, turn=3)
        assert peer.receive()["steps"] == [["three"]]
        peer.send(GOODBYE)
        _, complaint = ended(process)

    assert 'nothing was asked, so this is dropped: {"steps": [["one too many"]]}\n' in complaint


def test_answer_to_a_turn_that_is_over_is_dropped_and_the_next_one_is_sent(
    scripted_server: Any,
) -> None:
    program = """
for message in messages:
    if message["type"] == "turn" and message["match"] == "m1":
        late = True
    elif message["type"] == "match_over":
        say({"steps": [["late"]]})
    elif message["type"] == "turn":
        say({"steps": [["in time"]]})
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask(remaining_ms=60_000)
        over = {"type": "match_over", "match": "m1", "seq": 2, "reason": "finished"}
        peer.send(over, {**scripted_server.match_start, "match": "m2"})
        assert peer.receive() == {"type": "ready", "match": "m2"}
        turn = {"type": "turn", "match": "m2", "seq": 1, "turn": 1, "remaining_ms": 5000}
        peer.send(turn)

        assert peer.receive()["steps"] == [["in time"]]
        peer.send(GOODBYE)
        assert "no move for turn 1 of match m1: it is not asked for any more" in ended(process)[1]


def test_several_matches_have_a_program_each(scripted_server: Any) -> None:
    program = """
import os
for message in messages:
    if message["type"] == "turn" and message["match"] == "m2":
        say({"steps": [["by", os.getpid()]]})
    elif message["type"] == "turn" and message["turn"] == 2:
        say({"steps": [["by", os.getpid()]]})
"""
    with bridge(scripted_server.port, program, "--concurrency", "2") as process:
        peer = scripted_server.accept()
        assert peer.welcome()["concurrency"] == 2
        peer.begin_match()
        peer.send({**scripted_server.match_start, "match": "m2"})
        assert peer.receive() == {"type": "ready", "match": "m2"}
        peer.ask()
        peer.send({"type": "turn", "match": "m2", "seq": 1, "turn": 1, "remaining_ms": 5000})

        move = peer.receive()
        assert move["match"] == "m2"
        peer.send({"type": "match_over", "match": "m2", "seq": 2, "reason": "finished"}, GOODBYE)
        assert ended(process)[0] == 0


def test_resigning_gives_the_match_up(scripted_server: Any) -> None:
    program = """
for message in messages:
    if message["type"] == "turn":
        say({"resign": True})
"""
    with bridge(scripted_server.port, program):
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()

        assert peer.receive() == {"type": "resign", "match": "m1"}


def test_end_of_the_program_is_a_goodbye(scripted_server: Any) -> None:
    with bridge(scripted_server.port, "next(messages); sys.exit(3)") as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()

        assert peer.receive() == {
            "type": "goodbye",
            "reason": "the bot's program ended with exit code 3",
        }
        assert ended(process) == (3, "polynya-bridge: the program has ended\n")


def test_line_of_great_length_is_a_goodbye(scripted_server: Any) -> None:
    program = """
print("x" * 16_778_000, flush=True)
for message in messages:
    pass
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()

        assert peer.receive() == {
            "type": "goodbye",
            "reason": "the program's line is longer than 16777216 characters",
        }
        code, complaint = ended(process)
        assert (code, complaint.splitlines()[-1]) == (
            0,
            "polynya-bridge: the program's line is longer than 16777216 characters",
        )


def test_missing_flush_is_suspected_when_no_answer_comes(scripted_server: Any) -> None:
    with bridge(scripted_server.port, "for message in messages: pass") as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask(remaining_ms=10)

        assert process.stderr is not None
        assert process.stderr.readline() == (
            "polynya-bridge: no answer to turn 1 in time; does the program flush its output?\n"
        )


def test_command_that_cannot_be_started_is_a_sentence() -> None:
    with bridge(1, ["/no/such/program"]) as process:
        assert ended(process) == (
            1,
            "polynya-bridge: /no/such/program cannot be started: No such file or directory\n",
        )


def test_server_that_refuses_the_bot_is_a_sentence(scripted_server: Any) -> None:
    with bridge(scripted_server.port, "sys.stdin.read()") as process:
        peer = scripted_server.accept()
        peer.receive()
        peer.send({"type": "error", "code": "bad_name", "message": "no", "fatal": True})

        assert ended(process) == (1, "polynya-bridge: bad_name: no\n")


@pytest.mark.parametrize(
    ("game", "options"),
    [("packeis", {}), ("arktia", {}), ("icecult", {"turn_limit": 20}), *HIDDEN_OR_JOINT],
)
async def test_bash_and_perl_play_whole_matches(game: str, options: dict[str, int]) -> None:
    toolchains.require("bash", "perl")
    random = [*BRIDGE, "--wants", "legal", "--", "bash", str(EXAMPLES / "random.bash")]
    greedy = [*BRIDGE, "--", "perl", str(EXAMPLES / "greedy.pl")]
    opponent = greedy if game == "packeis" else random
    record = await matches.play({"one": random, "two": opponent}, game, **options)

    assert (record.reason, matches.forfeits(record)) == ("finished", [])


def test_line_that_is_nested_a_thousand_deep_is_no_answer(scripted_server: Any) -> None:
    program = """
for message in messages:
    if message["type"] == "turn":
        nested = "[" * 100_000 + "]" * 100_000
        print(nested, flush=True)
        say({"ask": None})
        say({"steps": [["go", 7.0]], "info": {"text": "\\ud800"}})
"""
    with bridge(scripted_server.port, program):
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        move = peer.receive()
        assert (move["steps"], type(move["steps"][0][1])) == ([["go", 7]], int)
        assert "info" not in move


INFOS = [
    "NaN",
    '{"score": nan, "text": "}]{["}',
    '{"score": -inf}',
    '{"nodes": ' + "9" * 5_000 + "}",
    '{"text": "a tab\t"}',
    '{"text": "a quote\\""}',
    "[" * 100_000 + "]" * 100_000,
    '"' + "x" * 1_000_000 + '"',
    '{"text": "\\ud800"}',
    '{"nodes": 1180591620717411303424}',
    '{"\\ud800": 1}',
    "{1: 2}",
    '{"text": "' + "x" * 10_000_000 + '"}',
    '["a", "list"]',
]


def test_remark_of_any_value_costs_no_move(scripted_server: Any, tmp_path: Path) -> None:
    (tmp_path / "infos").write_text("\n".join(INFOS))
    program = f"""
infos = open({str(tmp_path / "infos")!r}).read().split("\\n")
for message in messages:
    if message["type"] == "turn":
        info = infos[message["turn"] - 1]
        print('{{"info": ' + info + ', "steps": [["go"]]}}', flush=True)
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        for turn, info in enumerate(INFOS, start=1):
            peer.ask(seq=turn, turn=turn)
            assert peer.receive()["steps"] == [["go"]], info[:40]
        peer.send(GOODBYE)
        _, complaint = ended(process)
    assert complaint.count("its info cannot be read") == 1


def test_shared_remarks_are_sent_or_left_out(scripted_server: Any, tmp_path: Path) -> None:
    cases = json.loads((VECTORS_OF_PROTOCOL / "remarks.json").read_text())
    (tmp_path / "infos").write_text("\n".join(json.dumps(case["info"]) for case in cases))
    program = f"""
infos = open({str(tmp_path / "infos")!r}).read().split("\\n")
for message in messages:
    if message["type"] == "turn":
        print('{{"info": ' + infos[message["turn"] - 1] + ', "steps": [["go"]]}}', flush=True)
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        for turn, case in enumerate(cases, start=1):
            peer.ask(seq=turn, turn=turn)
            move = {"type": "move", "match": "m1", "turn": turn, "steps": [["go"]]}
            expected = move | {"info": case["info"]} if case["sent"] else move
            assert peer.receive() == expected, case["name"]
        peer.send(GOODBYE)
        ended(process)


def test_program_that_a_signal_ends_is_told_of_by_its_name(scripted_server: Any) -> None:
    program = "import os; next(messages); os.kill(os.getpid(), 11)"
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        reason = peer.receive()["reason"]
        assert (reason, ended(process)[0]) == ("the bot's program ended by SIGSEGV", 128 + 11)


def test_program_that_closes_its_output_is_told_of(scripted_server: Any) -> None:
    program = "import os, time; next(messages); next(messages); os.close(1); time.sleep(600)"
    with bridge(scripted_server.port, program):
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        assert peer.receive()["reason"] == "the bot's program takes no more lines"


def test_mark_and_banner_before_the_first_line_are_harmless(scripted_server: Any) -> None:
    program = """
sys.stdout.write('\\ufeff')
print("My Engine 3.1 by ada", flush=True)
for message in messages:
    if message["type"] == "turn":
        sys.stdout.write('\\ufeff')
        say({"steps": [["go"]]})
"""
    with bridge(scripted_server.port, program) as process:
        peer = scripted_server.accept()
        peer.welcome()
        peer.begin_match()
        peer.ask()
        assert peer.receive()["steps"] == [["go"]]
        peer.send(GOODBYE)
        assert "only shown: My Engine 3.1 by ada" in ended(process)[1]
