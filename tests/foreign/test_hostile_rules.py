"""Hostile rules processes: each ends in RulesFailed, in time, and leaves no process."""

from __future__ import annotations

import json
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import trio
from tests.foreign.rules_programs import game_of
from tests.hosting.bots.processes import until_left
from tests.scripted.race_host import PATIENT, RaceHost, token

from polynya_foreign.answers import (
    MOST_DEPTH,
    MOST_LEGAL,
    MOST_PARTS,
    MOST_WORD,
    WrongAnswer,
    decode,
    facts,
)
from polynya_games import RulesFailed
from polynya_server.assembly import open_server
from polynya_server.records import MatchSetup, MemoryJournal
from polynya_server.sessions.tokens import hash_token
from polynya_server.settings import ServerSettings

GOOD: dict[str, Any] = {
    "id": 1,
    "document": {"stones": 1},
    "acting": [0],
    "legal": {"0": [["take", 1], ["take", 2]]},
    "staying": [0, 1],
    "scores": [0, 0],
}
END = {"termination": "finished", "ranking": [1, 2], "scores": [3, 0]}
OVER = {**GOOD, "acting": [], "legal": {}, "outcome": END}
DEEP = MOST_DEPTH * 400


def line(**changed: Any) -> bytes:
    """A good answer with other values."""
    return json.dumps({**GOOD, **changed}).encode()


def end(**changed: Any) -> bytes:
    """The good answer at the end of a match with other values in its outcome."""
    return json.dumps({**OVER, "outcome": {**END, **changed}}).encode()


def without(key: str) -> bytes:
    """The good answer without a key."""
    return json.dumps({name: value for name, value in GOOD.items() if name != key}).encode()


def steps(*legal: Any) -> bytes:
    """The good answer with these legal steps."""
    return line(legal={"0": list(legal)})


NO_JSON = {
    "nothing": b"",
    "a space": b" ",
    "zeros": b"\0" * 100,
    "words": b"Segmentation fault (core dumped)",
    "HTML": b"<script>alert(1)</script>",
    "two values": line() + line(),
    "half an object": line()[:-1],
    "half a text": b'{"id": 1, "document": {"a": "b',
    "half an escape": b'{"id": 1, "document": {"a": "\\u12"}}',
    "half a character": b'{"id": 1, "document": {"a": "\xc3"}}',
    "bytes that are no UTF-8": b'{"id": 1, "document": {"a": "\xff\xfe"}}',
    "UTF-16": line().decode().encode("utf-16"),
    "a byte-order mark": b"\xef\xbb\xbf" + line(),
    "an overlong character": b'{"id": 1, "document": {"a": "\xc0\xaf"}}',
    "a surrogate in UTF-8": b'{"id": 1, "document": {"a": "\xed\xa0\x80"}}',
    "a lone high surrogate": b'{"id": 1, "document": {"a": "\\ud800"}}',
    "a lone low surrogate": b'{"id": 1, "document": {"a": "\\udc00"}}',
    "a control character in a text": b'{"id": 1, "document": {"a": "\x1b[31m"}}',
    "a line break in a text": b'{"id": 1, "document": {"a": "\n"}}',
    "NaN": b"NaN",
    "NaN in the document": b'{"id": 1, "document": {"a": NaN}}',
    "infinity": b'{"id": 1, "document": {"a": Infinity}}',
    "minus infinity": b'{"id": 1, "document": {"a": -Infinity}}',
    "a number too large for a float": b'{"id": 1, "document": {"a": 1e999}}',
    "a number with a leading zero": b'{"id": 01}',
    "a hexadecimal number": b'{"id": 0x1}',
    "a comment": b'{"id": 1 /* one */}',
    "a comma at the end": b'{"id": 1,}',
    "single quotes": b"{'id': 1}",
    "a key without quotes": b"{id: 1}",
    "lists without an end": b"[" * 100_000,
    "objects without an end": b'{"id":' * 100_000,
    "a pickle": b"\x80\x04\x95\x0b.",
    "MessagePack": b"\x81\xa2id\x01",
}
NO_ANSWER = {
    "null": b"null",
    "true": b"true",
    "a number": b"1",
    "a text": b'"take"',
    "a list": b"[1]",
    "an empty object": b"{}",
    "no document": without("document"),
    "a null document": line(document=None),
    "a list as document": line(document=[1]),
    "a text as document": line(document="stones"),
    "an id that is a text": line(id="1"),
    "an id that is a fraction": line(id=1.5),
    "an id that is null": line(id=None),
    "an unknown key": line(winner=0),
    "an error that is no text": line(error=["why"]),
    "a document of deep lists": b'{"id":1,"document":{"a":' + b"[" * DEEP + b"]" * DEEP + b"}}",
    "a document of deep objects": line(document=json.loads('{"a":' * 40 + "1" + "}" * 40)),
    "a document one level too deep": line(
        document=json.loads('{"a":' * (MOST_DEPTH + 1) + "1" + "}" * (MOST_DEPTH + 1))
    ),
    "an integer of 65 bits in the document": line(document={"a": 2**64}),
    "an integer of 64 bits without sign": line(document={"a": 2**63}),
    "an integer below 64 bits": line(document={"a": [-(2**63) - 1]}),
    "an integer of 5,000 digits": b'{"id": 1, "document": {"a": ' + b"9" * 5_000 + b"}}",
}
NO_POSITION = {
    "a seat that is not there": line(acting=[2], legal={"2": [["take"]]}),
    "a seat of no game": line(acting=[16], legal={"16": [["take"]]}),
    "a negative seat": line(acting=[-1], legal={"-1": [["take"]]}),
    "a seat that is a text": line(acting=["0"]),
    "a seat that is true": line(acting=[True]),
    "a seat twice": line(acting=[0, 0]),
    "seats that descend": line(acting=[1, 0]),
    "two seats without a joint turn": line(acting=[0, 1], legal={"0": [["a"]], "1": [["a"]]}),
    "no seat acts, and it is not over": line(acting=[], legal={}),
    "a seat acts after the end": line(outcome=END),
    "the end within a turn": json.dumps({**OVER, "turn_over": False}).encode(),
    "turn_over that is a text": line(turn_over="yes"),
    "a staying seat that is not there": line(staying=[0, 2]),
    "staying twice": line(staying=[0, 0]),
    "an acting seat that has left": line(staying=[1]),
    "one score for two seats": line(scores=[1]),
    "scores that are fractions": line(scores=[0.5, 0.5]),
    "a score of 65 bits": line(scores=[2**64, 0]),
    "a score that is null": line(scores=[None, 0]),
    "views of a game without views": line(views={"0": {}, "1": {}, "spectators": {}}),
    "something seen by no seat": line(seen={"2": []}),
    "something concealed from no seat": line(concealed={"all": [0]}),
    "a seat concealed from itself": line(concealed={"0": [0]}),
}
NO_STEPS = {
    "no legal": without("legal"),
    "no legal steps": steps(),
    "legal steps of another seat": line(legal={"1": [["take", 1]]}),
    "legal steps of one seat more": line(legal={"0": [["take"]], "1": [["take"]]}),
    "legal that is a list": line(legal=[["take", 1]]),
    "a step that is a text": steps("take"),
    "an empty step": steps([]),
    "a step without a verb": steps([1, 2]),
    "an empty verb": steps([""]),
    "a step with a fraction": steps(["take", 1.5]),
    "a step with null": steps(["take", None]),
    "a step with a list": steps(["take", [1]]),
    "a step with an integer of 65 bits": steps(["take", 2**64]),
    "a step with a control character": steps(["take\x1b[2J"]),
    "a step with a line break": steps(["take\n"]),
    "a step with a right-to-left override": steps(["take\u202e"]),
    "a step with a text too long": steps(["t" * (MOST_WORD + 1)]),
    "a step with parts too many": steps(["take", *range(MOST_PARTS)]),
    "a step twice": steps(["take", 1], ["take", 1]),
    "steps that are not sorted": steps(["take", 2], ["take", 1]),
    "steps of texts and integers": steps(["take", "one"], ["take", 1]),
    "steps too many": steps(*(["take", each] for each in range(MOST_LEGAL + 1))),
}
NO_OUTCOME = {
    "a termination of no name": end(termination="bribed"),
    "a termination that is null": end(termination=None),
    "one rank for two seats": end(ranking=[1]),
    "three ranks for two seats": end(ranking=[1, 2, 3]),
    "ranks from 0": end(ranking=[0, 1]),
    "no seat first": end(ranking=[2, 2]),
    "a gap in the ranks": end(ranking=[1, 3]),
    "negative ranks": end(ranking=[-1, 1]),
    "ranks that are texts": end(ranking=["1", "2"]),
    "one final score for two seats": end(scores=[1]),
    "final scores that are fractions": end(scores=[0.5, 0.5]),
    "a key of the outcome that is unknown": end(winner="ann"),
    "an outcome that is a text": json.dumps({**OVER, "outcome": "won"}).encode(),
}
LINES = NO_JSON | NO_ANSWER | NO_POSITION | NO_STEPS | NO_OUTCOME


@pytest.mark.parametrize("good", [line(), json.dumps(OVER).encode()], ids=["under way", "over"])
def test_the_answers_that_are_changed_here_are_usable(good: bytes) -> None:
    assert facts(decode(good), 2, joint=False, has_view=False).document == {"stones": 1}


@pytest.mark.parametrize("told", LINES.values(), ids=LINES.keys())
def test_hostile_line_is_no_answer(told: bytes) -> None:
    with pytest.raises(WrongAnswer) as wrong:
        facts(decode(told), 2, joint=False, has_view=False)
    assert len(str(wrong.value)) < 1_000


def test_key_that_comes_twice_has_one_value() -> None:
    told = b'{"id":1,"document":{"a":1,"a":2},"acting":[0],"legal":{"0":[["a"]],"0":[["b"]]}}'
    found = facts(decode(told), 2, joint=False, has_view=False)
    assert (found.document, found.legal) == ({"a": 2}, {0: [("b",)]})


PROGRAMS = {
    "ends at once": "",
    "ends with an exit code": "sys.exit(3)",
    "ends after the question": "input()",
    "ends within its answer": "print('{', end='', flush=True); input()",
    "is killed": "os.kill(os.getpid(), 9)",
    "aborts": "os.abort()",
    "closes its output": "os.close(1)\nfor line in sys.stdin: pass",
    "closes its input": "os.close(0)\nimport time\ntime.sleep(60)",
    "raises": "raise RuntimeError('\\x1b[31m' + 'x' * 100_000)",
    "says nothing": "for line in sys.stdin: pass",
    "does not read": "import time\ntime.sleep(600)",
    "stops itself": "os.kill(os.getpid(), 19)",
    "ignores signals": "import signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(600)",
    "answers a byte at a time": (
        "import time\nwhile True:\n    os.write(1, b' ')\n    time.sleep(0.01)"
    ),
    "has a line without an end": "while True: os.write(1, b'x' * 65536)",
    "has lines without an end": "while True: os.write(1, b'{}\\n' * 10_000)",
    "has errors without an end": "while True: os.write(2, b'x' * 65536)",
    "answers before the question": "print('{\"id\": 1}', flush=True)\nfor line in sys.stdin: pass",
    "answers twice": (
        "main(lambda question, told: print(json.dumps({'id': question['id']})) or told)"
    ),
    "answers with another id": "main(lambda question, told: {**told, 'id': 7})",
    "answers as its question": "for line in sys.stdin: print(line, flush=True)",
    "takes memory": "while True: taken = [bytearray(1 << 20) for _ in range(1 << 10)]",
    "takes memory for its answer": "print('x' * (1 << 28))",
    "has children that hold its pipes": (
        "import time\nfor _ in range(5):\n    if os.fork() == 0: time.sleep(600)"
    ),
    "is no program that there is": "os.execv('/nowhere', ['nowhere'])",
    "never returns": "while True: pass",
}
"""Programs by what they do; each gives no usable answer to the first question."""


@pytest.mark.parametrize("statements", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_hostile_program_fails_the_rules_in_time_and_leaves_nothing(
    tmp_path: Path, statements: str
) -> None:
    folder = tmp_path / "game"
    game = game_of(folder, statements, "answer_s = 0.5\nmemory_mb = 64")
    begin = time.monotonic()
    with pytest.raises(RulesFailed) as failed:
        game.setup(2, 0)
    assert time.monotonic() - begin < 10
    assert all(text.isprintable() for text in failed.value.output.splitlines())
    trio.run(until_left, folder)


IN_THE_MIDDLE = {
    "ends": "sys.exit(3)",
    "says nothing": "__import__('time').sleep(600)",
    "talks nonsense": "print('nonsense', flush=True)",
    "has a line without an end": "print('x' * (1 << 23), flush=True)",
    "takes memory": "bytearray(1 << 40)",
    "lets no seat act": "{**told, 'acting': [], 'legal': {}}",
    "lets a third seat act": "{**told, 'acting': [2], 'legal': {'2': [['take', 1]]}}",
    "has no winner": (
        "{**told, 'acting': [], 'legal': {}, 'outcome': "
        "{'termination': 'finished', 'ranking': [2, 2], 'scores': [0, 0]}}"
    ),
    "reports an error": "{'error': 'no more'}",
}
"""Expressions that replace the answer to the second step of a match."""


async def test_server_and_its_bots_play_on_after_each_hostile_game(tmp_path: Path) -> None:
    change = "main(lambda question, told: ({}) if told['document'] == {{'stones': 2}} else told)"
    limits = "answer_s = 1.5\nmemory_mb = 64"
    games = {
        name: game_of(tmp_path / str(number), change.format(expression), limits)
        for number, (name, expression) in enumerate(IN_THE_MIDDLE.items())
    }
    good = game_of(tmp_path / "good", "main()")
    journal = MemoryJournal()
    async with (
        open_server(ServerSettings(), journal, {**games, "good": good}.__getitem__) as server,
        AsyncExitStack() as stack,
        trio.open_nursery() as nursery,
    ):
        host = RaceHost(server, journal, nursery, stack)
        for bot in ("ann", "bob"):
            server.add_token(bot, hash_token(token(bot)))
            await host.good_bot(bot)
        for name in games:
            failed = await server.play(setup_of(name, name), {})
            assert (failed.rules_failed, failed.ranking, failed.forfeits) == (True, None, []), name
            played = await server.play(setup_of("good", f"after it {name}"), {})
            assert played.ranking == [1, 2]
        nursery.cancel_scope.cancel()
    for game in (*games.values(), good):
        game.pool.close()
        await until_left(Path(game.folder.folder))


def setup_of(game: str, match: str) -> MatchSetup:
    """A match of ann and bob."""
    return MatchSetup(
        match=match.replace(" ", "-"), game=game, players=("ann", "bob"), clock=PATIENT, seed=0
    )
