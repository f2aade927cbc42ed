"""The JSON Schema is current, and the vectors keep it."""

import json
import subprocess
import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from tests.folders import ROOT

from polynya_protocol.schema import json_schema

PROTOCOL = ROOT / "protocol"
VALIDATOR: Any = jsonschema.Draft202012Validator(json_schema())
VALUES = [
    case["value"]
    for path in sorted((PROTOCOL / "vectors").glob("*.json"))
    if path.stem not in ("refused", "framing", "remarks")
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
]


def test_the_file_is_what_the_command_writes() -> None:
    command = [sys.executable, "-m", "polynya_protocol.schema"]
    written = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert written == (PROTOCOL / "schema.json").read_text(encoding="utf-8")


def test_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


def test_vectors_keep_the_schema() -> None:
    assert [
        (value, error.message) for value in VALUES for error in VALIDATOR.iter_errors(value)
    ] == []


@pytest.mark.parametrize(
    "value",
    [
        {"type": "castle"},
        {"type": "ready"},
        {"type": "ready", "match": 17},
        {"type": "move", "match": "m", "turn": 1, "steps": [[40, 12]]},
        {"type": "move", "match": "m", "turn": 1, "steps": [[]]},
        {"type": "hello", "protocol": 2, "name": "alice"},
        {"type": "hello", "protocol": 1, "name": "a b"},
        {"type": "hello", "protocol": 1, "name": "alice", "concurrency": 0},
    ],
    ids=str,
)
def test_wrong_messages_do_not(value: Any) -> None:
    assert not VALIDATOR.is_valid(value)
