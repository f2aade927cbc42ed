"""The command ``polynya trace`` in lockstep with the naive reading of the rules, option by option.

``POLYNYA_TRACE_ROUNDS`` (default 1) says how often each case is played, each time another match.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.games.arktia import naive_arktia
from tests.games.icecult import naive_icecult
from tests.games.packeis import test_packeis_against_naive_rules as naive_packeis

POLYNYA = str(Path(sys.executable).with_name("polynya"))
ROUNDS = int(os.environ.get("POLYNYA_TRACE_ROUNDS", "1"))
RING = [[4, 3], [[1, 2], [1, 10]], [[1, 1], [1, 11]], [[1, 2], [1, 10]], [4, 3]]
LAKE = [[6, 0], [[2, 1], [2, 9]], [[3, 0], [2, 8]], [[2, 1], [2, 7]], [6, 0]]
SHIFTED = [[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]]
FACES = [[0, "N"], [0, "S"], [5, None], [0, "U"], [4, None], [1, "D"]]
BARE = [[4, None], [5, None], [2, "U"], [4, None], [5, None], [3, "S"]]
CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("packeis", 2, {"layout": "even"}),
    ("packeis", 4, {"rows": SHIFTED, "fish": [1] * 20 + [3, 2] * 20}),
    ("arktia", 2, {"rows": RING, "neutrals": True}),
    ("arktia", 3, {"rows": LAKE, "round_limit": 9, "neutrals": False}),
    ("packeis", 3, {"rows": SHIFTED}),
    ("icecult", 2, {"setup": "scrambled", "turn_limit": 9}),
    ("icecult", 3, {"blocks": [FACES, BARE, FACES, FACES], "turn_limit": 12}),
]


@contextmanager
def trace(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [POLYNYA, "trace", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8") as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) == 0


def told(process: subprocess.Popen[str], line: str | None = None) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    if line is not None:
        process.stdin.write(line + "\n")
        process.stdin.flush()
    return json.loads(process.stdout.readline())


def naive_match(game: str, players: int, options: dict[str, Any], state: Any) -> Any:
    if game == "packeis":
        return naive_packeis.Naive(players, state["fish"], options.get("rows"))
    if game == "arktia":
        return naive_arktia.Naive(players, options)
    return naive_icecult.Naive(players, state["blocks"], options["turn_limit"])


def position(naive: Any) -> Any:
    document = naive.to_json() if hasattr(naive, "to_json") else naive.d
    legal = naive.legal() if document["to_move"] is not None else []
    return json.loads(json.dumps([document, legal]))


def expect(naive: Any, answer: Any) -> None:
    assert position(naive) == [answer["state"], answer["legal"]]
    if not answer["legal"]:
        assert list(naive.ranking()) == answer["ranking"]


def play(
    process: Any, naive: Any, answer: Any, most: int, generator: random.Random, mark: str = ""
) -> Any:
    """Up to ``most`` steps, with refusals and forfeits between them; gives the last answer."""
    for _ in range(most):
        if not answer["legal"]:
            break
        lively = [step for step in answer["legal"] if step != ["retire"]]
        step = generator.choice(lively if generator.random() < 0.99 and lively else answer["legal"])
        seat = answer["state"]["to_move"]
        if answer["turn_over"] and generator.random() < 0.02:
            naive.forfeit(seat)
            answer = told(process, mark + json.dumps({"forfeit": seat}))
        else:
            naive.apply(step)
            answer = told(process, mark + json.dumps({"step": step}))
        mark = ""
        expect(naive, answer)
        assert list(told(process, '{"step": ["swim", 1]}')) == ["error"]
        if not answer["turn_over"]:
            seat = answer["state"]["to_move"]
            assert list(told(process, json.dumps({"forfeit": seat}))) == ["error"]
    return answer


@pytest.mark.parametrize(("game", "players", "options"), CASES)
def test_the_command_follows_the_naive_rules(
    game: str, players: int, options: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "value.json"
    for seed in range(ROUNDS):
        generator = random.Random(seed)
        given = []
        for name, value in options.items():
            (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
            given += ["--option", f"{name}=@{tmp_path / name}"]
        seats = ["--players", str(players)]
        with trace(game, *seats, "--seed", str(seed), *given) as process:
            answer = told(process)
            naive = naive_match(game, players, options, answer["state"])
            expect(naive, answer)
            answer = play(process, naive, answer, generator.randrange(20, 40), generator, "\ufeff")
            while answer["legal"] and answer["turn_over"] and game != "packeis":
                answer = play(process, naive, answer, 1, generator)
        file.write_text(json.dumps(answer["state"]), encoding="utf-8")
        with trace(game, *seats, "--state", str(file)) as process:
            answer = told(process)
            expect(naive, answer)
            play(process, naive, answer, 400, generator, "\ufeff")
