"""The session that docs/protocol.md shows is what the server really says."""

from __future__ import annotations

import importlib.util
import json
import re
from types import ModuleType
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
import trio
from tests.folders import DOCS

OF_ONE_RUN = ("session", "elapsed_ms", "remaining_ms")
"""What differs from run to run: an id, and times."""


def session_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_session", DOCS / "session.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Shown = tuple[str, dict[str, Any], bytes]
"""Direction, words and bytes, which a long frame is shown without."""


@pytest.fixture(scope="module")
def shown() -> list[Shown]:
    """Direction, words and bytes of each frame in the document."""
    text = (DOCS / "protocol.md").read_text(encoding="utf-8")
    section = text.split("<!-- session begin -->")[1].split("<!-- session end -->")[0]
    block = r"\*\*(\S+) → \S+ `\w+`\n\n```json\n(.*)\n```\n(?:\n```\n([^`]*)```)?"
    blocks = re.findall(block, section)
    return [(sender, json.loads(words), bytes.fromhex(dump)) for sender, words, dump in blocks]


def without_pings_and_times(message: dict[str, Any]) -> dict[str, Any] | None:
    if message["type"] in ("ping", "pong"):
        return None
    return {key: None if key in OF_ONE_RUN else value for key, value in message.items()}


def test_the_bytes_are_what_the_words_beside_them_say(shown: list[Shown]) -> None:
    with_bytes = [(words, dump) for _, words, dump in shown if dump]
    assert [words for words, _ in with_bytes] == [
        msgpack.unpackb(dump[4:]) for _, dump in with_bytes
    ]


def test_each_length_counts_the_bytes_after_it(shown: list[Shown]) -> None:
    dumps = [dump for *_, dump in shown if dump]
    assert [len(dump) - 4 for dump in dumps] == [int.from_bytes(dump[:4], "big") for dump in dumps]


def test_a_session_played_now_says_the_same(shown: list[Shown]) -> None:
    module = session_module()
    played = [
        (sender, without_pings_and_times(msgpack.unpackb(frame[4:])))
        for sender, frame in trio.run(module.record)
    ]
    documented = [(sender, without_pings_and_times(words)) for sender, words, _ in shown]
    assert [entry for entry in documented if entry[1]] == [entry for entry in played if entry[1]]
