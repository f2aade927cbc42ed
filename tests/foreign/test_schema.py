"""The JSON Schema of questions and answers fits what is said, and refuses what is not usable."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from tests.folders import DOCS, ROOT

from polynya_app.application import DONE, run
from polynya_foreign.answers import WrongAnswer, decode, facts
from polynya_foreign.folders import VARIABLE

NIM = ROOT / "examples" / "games" / "nim-process"
SCHEMA = json.loads((ROOT / "foreign" / "schema.json").read_text("utf-8"))
GOOD: dict[str, Any] = {
    "id": 1,
    "document": {"stones": 2},
    "acting": [0],
    "legal": {"0": [["take", 1], ["take", 2]]},
}
OUTCOME: dict[str, Any] = {"termination": "finished", "ranking": [1, 2], "scores": [0, 0]}
BAD: list[dict[str, Any]] = [
    {**GOOD, "id": "1"},
    {**GOOD, "document": [2]},
    {**GOOD, "extra": 1},
    {**GOOD, "acting": [16]},
    {**GOOD, "acting": [0, 0]},
    {**GOOD, "acting": []},
    {**GOOD, "turn_over": 1},
    {**GOOD, "legal": {}, "acting": []},
    {**GOOD, "legal": {"first": [["take", 1]]}},
    {**GOOD, "legal": {"0": []}},
    {**GOOD, "legal": {"0": [[]]}},
    {**GOOD, "legal": {"0": [[1]]}},
    {**GOOD, "legal": {"0": [[""]]}},
    {**GOOD, "legal": {"0": [["take", 1.5]]}},
    {**GOOD, "legal": {"0": [["take", 2**63]]}},
    {**GOOD, "legal": {"0": [["take", *range(32)]]}},
    {**GOOD, "legal": {"0": [["take", 1], ["take", 1]]}},
    {**GOOD, "scores": ["1", 2]},
    {**GOOD, "outcome": OUTCOME},
    {**GOOD, "acting": [], "legal": {}, "outcome": {**OUTCOME, "termination": "won"}},
    {**GOOD, "acting": [], "legal": {}, "outcome": {**OUTCOME, "ranking": [0, 1]}},
    {**GOOD, "views": {"all": {}}},
    {key: value for key, value in GOOD.items() if key != "document"},
    {key: value for key, value in GOOD.items() if key != "legal"},
]


def validator(part: str) -> Any:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    whole = {**SCHEMA, "$ref": f"#/$defs/{part}"}
    return jsonschema.Draft202012Validator({k: v for k, v in whole.items() if k != "anyOf"})


def flaws(part: str, lines: list[str]) -> list[str]:
    return [line for line in lines if not validator(part).is_valid(json.loads(line))]


def test_session_of_the_page_is_valid() -> None:
    page = (DOCS / "games-in-any-language.md").read_text("utf-8")
    session = page.partition("<!-- session -->\n```\n")[2].partition("```")[0].splitlines()
    assert len(session) == 10
    assert flaws("Question", [line[2:] for line in session if line[0] == "→"]) == []
    assert flaws("Answer", [line[2:] for line in session if line[0] == "←"]) == []


def test_what_is_said_while_a_game_is_checked_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "")
    shutil.copy(NIM / "nim.py", tmp_path)
    recorded = '["sh", "-c", "tee asked.$$ | python3 nim.py | tee told.$$"]'
    manifest = (NIM / "game.toml").read_text("utf-8")
    manifest = manifest.replace('["python3", "nim.py"]', recorded)
    (tmp_path / "game.toml").write_text(manifest.replace("nim_process", "nim_recorded"))

    words = ["--players", "3", "--matches", "1", "--option", "stones=4"]
    assert run(["games", "check", str(tmp_path), *words]) == DONE

    asked, told = (
        [
            line
            for path in tmp_path.glob(f"{name}.*")
            for line in path.read_text().splitlines(keepends=True)
            if line.endswith("\n")  # a process that was ended may have written a part of one
        ]
        for name in ("asked", "told")
    )
    assert {json.loads(line)["ask"] for line in asked} == {"set_up", "apply", "forfeit", "read"}
    assert (flaws("Question", asked), flaws("Answer", told)) == ([], [])


def test_good_answer_is_valid_and_read() -> None:
    assert validator("Answer").is_valid(GOOD)
    facts(decode(json.dumps(GOOD).encode()), 2, joint=False, has_view=False)


@pytest.mark.parametrize("answer", BAD, ids=str)
def test_bad_answer_is_neither_valid_nor_read(answer: dict[str, Any]) -> None:
    assert not validator("Answer").is_valid(answer)
    with pytest.raises(WrongAnswer):
        facts(decode(json.dumps(answer).encode()), 2, joint=False, has_view=False)


@pytest.mark.parametrize(
    "question",
    [
        {"id": 1, "ask": "set_up", "players": 2, "seed": 7, "options": {}},
        {"id": 1, "ask": "apply", "players": 2, "document": {}},
        {"id": 1, "ask": "legal", "players": 2, "document": {}},
        {"id": 1, "ask": "read", "players": 2, "document": {}, "step": ["take", 1]},
    ],
    ids=str,
)
def test_what_is_never_asked_is_no_question(question: dict[str, Any]) -> None:
    assert not validator("Question").is_valid(question)
