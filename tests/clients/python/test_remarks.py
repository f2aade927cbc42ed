"""Remarks never cost a match: those that cannot be sent are left out, and the move is sent."""

from __future__ import annotations

import datetime
import decimal
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.folders import VECTORS_OF_PROTOCOL

from polynya_client import Turn

SHARED = json.loads((VECTORS_OF_PROTOCOL / "remarks.json").read_text())
FINISHED = {"type": "goodbye", "reason": "finished"}
STEP = ["move", 12, 40]


def cycle() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["self"] = [found] * 1000
    return found


def deep(levels: int) -> dict[str, Any]:
    return {"a": deep(levels - 1)} if levels else {}


def generator() -> Iterator[int]:
    yield 1


class Hostile:
    def __index__(self) -> int:
        raise ZeroDivisionError


UNSENDABLE: dict[str, Any] = {
    "lone surrogate": {"text": "\ud800"},
    "surrogate in a key": {"\ud800": 1},
    "2^70": {"nodes": 2**70},
    "NaN": {"score": float("nan")},
    "infinity": {"score": float("inf")},
    "set": {"seen": {1}},
    "function": {"f": deep},
    "date": {"at": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)},
    "decimal": {"score": decimal.Decimal(1)},
    "array": {"values": np.zeros(3)},
    "bytes": {"raw": b"abc"},
    "path": {"file": Path("x")},
    "generator": {"g": generator()},
    "integer key": {1: 2},
    "10 MB": {"text": "x" * 10_000_000},
    "10 MB in small pieces": {"values": [0] * 10_000_000},
    "1 KiB": {"text": "x" * 1024},
    "deep": deep(16),
    "very deep": deep(900),
    "cycle": cycle(),
    "no map": ["a", "list"],
    "hostile": {"x": Hostile()},
}
SENDABLE: dict[str, tuple[Any, Any]] = {
    "numpy": ({"n": np.int64(7), "score": np.float32(0.5)}, {"n": 7, "score": 0.5}),
    "tuple": ({"line": (1, 2)}, {"line": [1, 2]}),
    "largest": ({"n": 2**64 - 1, "m": -(2**63)}, {"n": 2**64 - 1, "m": -(2**63)}),
    "fifteen levels": (deep(14), deep(14)),
}


def moves(scripted_server: Any, infos: list[Any], steps: Any = None) -> list[dict[str, Any]]:
    """What a bot sends for turns with these remarks."""

    def choose(turn: Turn) -> Any:
        turn.info = infos[turn.number - 1]
        return steps or [STEP]

    bot = scripted_server.run(choose)
    peer = scripted_server.accept()
    peer.welcome()
    peer.begin_match()
    sent = []
    for number in range(1, len(infos) + 1):
        peer.ask(seq=number, turn=number)
        sent.append(peer.receive())
    peer.send(FINISHED)
    bot.result(120)
    return sent


@pytest.mark.parametrize("kind", UNSENDABLE)
def test_unsendable_remark_is_left_out(
    kind: str, scripted_server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    sent = moves(scripted_server, [UNSENDABLE[kind], UNSENDABLE[kind]])
    warnings = [
        record.getMessage()
        for record in caplog.records
        if record.levelno == logging.WARNING and "info" in record.getMessage()
    ]
    assert sent == [
        {"type": "move", "match": "m1", "turn": turn, "steps": [STEP]} for turn in (1, 2)
    ]
    assert len(warnings) == 1


@pytest.mark.parametrize("kind", SENDABLE)
def test_sendable_remark_is_sent(kind: str, scripted_server: Any) -> None:
    given, received = SENDABLE[kind]
    assert moves(scripted_server, [given])[0]["info"] == received


def test_shared_remarks_are_sent_or_left_out(scripted_server: Any) -> None:
    infos = [case["info"] for case in SHARED]
    for case, move in zip(SHARED, moves(scripted_server, infos), strict=True):
        expected = {"info": case["info"]} if case["sent"] else {}
        assert {key: move[key] for key in move if key == "info"} == expected, case["name"]


def test_integers_of_other_types_are_integers_in_steps(scripted_server: Any) -> None:
    steps = [("move", np.int64(12), np.uint8(40))]
    assert moves(scripted_server, [{}], steps)[0]["steps"] == [STEP]
