"""The linter of our English finds what it is for, and leaves code and questions alone."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from tests.folders import DOCS

CHECK = DOCS / "prose" / "check.py"


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prose_check", CHECK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def words_in(check: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(check, "ROOT", tmp_path)

    def found(name: str, text: str) -> list[tuple[int, str]]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return [(line, words) for _, line, words, _ in check.findings(name)]

    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nobody knows.\n", [(1, "Nobody")]),
        ("Fine.\nIt is told to whoever\nwatches.\n", [(2, "whoever")]),
        ("It is one\nthat waits.\n", [(1, "one\nthat")]),
        ("Who comes late waits.\n", [(1, "Who comes late waits.")]),
        ("| a | What has arrived is read. |\n", [(1, "What has arrived is read.")]),
        ("What follows from it: much.\n", [(1, "What follows from it:")]),
        ("How it plays is in the log.\n", [(1, "How it plays is in the log.")]),
        ("Where a file is missing, write it.\n", [(1, "Where a file is missing, write it.")]),
        ("Who comes late?\n", []),
        ("# What you may rely on\n", []),
        ("Say what is wrong, with what to do.\n", []),
        ("```\nnobody\n```\n\n    nobody\n\n`nobody`\n", []),
    ],
)
def test_pages_are_read_without_code(words_in: object, text: str, expected: object) -> None:
    assert callable(words_in)
    assert expected == words_in("page.md", text)


def test_programs_are_read_for_docstrings_comments_and_messages(words_in: object) -> None:
    assert callable(words_in)
    program = (
        '"""Tells nobody."""\n\n'
        "nobody = 1  # so many\n\n"
        'raise ValueError(f"{nobody} is no name; whoever has one")\n'
        'key = "nobody"\n'
    )
    assert sorted(words_in("x.py", program)) == [(1, "nobody"), (3, "so many"), (5, "whoever")]


def test_clause_that_is_a_whole_docstring_may_begin_with_how(words_in: object) -> None:
    assert callable(words_in)
    assert words_in("x.py", '"""How a match ended."""\n"""What ended it: a clock."""\n') == [
        (2, "What ended it:")
    ]


def test_no_other_program_is_needed() -> None:
    done = subprocess.run(
        [sys.executable, CHECK, "--count"], env={"PATH": ""}, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
