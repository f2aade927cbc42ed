"""A missing or old tool: what is said about it, and what becomes of the tests that need it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests.clients import toolchains

from polynya_hosting.kits.templates import KITS
from polynya_hosting.kits.toolchains import TOOLS, Tool, shortcomings

TESTS = Path(__file__).parents[1]


def printing(text: str, oldest: str) -> Tool:
    return Tool("Ada", (sys.executable, "-c", f"print({text!r})"), "https://ada.example", oldest)


def test_tool_that_cannot_be_started_is_missing() -> None:
    tool = Tool("Ada", ("no-such-compiler",), "on Debian: apt install ada")
    assert shortcomings([tool]) == ["Missing here: Ada (on Debian: apt install ada)."]


def test_tool_whose_probe_fails_is_missing() -> None:
    tool = Tool("Ada", ("sh", "-c", "echo 2.0; exit 1"), "https://ada.example", "1.5")
    assert shortcomings([tool]) == ["Missing here: Ada 1.5 or newer (https://ada.example)."]


@pytest.mark.parametrize("printed", ["ada 1.10", "v1.9.0 (2 cores)", "Ada1.9", "2"])
def test_version_is_compared_number_by_number(printed: str) -> None:
    assert shortcomings([printing(printed, "1.9")]) == []


@pytest.mark.parametrize(
    ("printed", "found"), [("ada 1.8.12", "1.8.12"), ("1", "1"), ("ada", "of an unknown version")]
)
def test_old_tool_is_named_with_both_versions(printed: str, found: str) -> None:
    sentence = f"Too old here: Ada {found}; 1.9 is needed (https://ada.example)."
    assert shortcomings([printing(printed, "1.9")]) == [sentence]


@pytest.fixture
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("_nothing_installed")
def test_missing_toolchain_is_a_skip_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLYNYA_REQUIRE_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match=re.escape("Missing here: Go 1.22 or newer")):
        toolchains.require("extension modules", "go")


@pytest.mark.usefixtures("_nothing_installed")
def test_missing_toolchain_is_a_failure_where_all_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POLYNYA_REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match=re.escape("Missing here: Go 1.22 or newer")):
        toolchains.require("go")


def test_every_kit_needs_tools_that_are_known() -> None:
    assert {name for kit in KITS.values() for name in kit.needs} <= set(TOOLS)


def test_only_one_module_of_the_tests_looks_for_tools() -> None:
    looking = re.compile(r"\bwhich\(.*\) is None|REQUIRE_ALL")
    modules = [path for path in TESTS.rglob("*.py") if looking.search(path.read_text("utf-8"))]
    of_their_own = {"test_toolchains.py", "test_all_languages.py", "test_release_table.py"}
    assert [path.name for path in modules if path.name not in of_their_own] == ["toolchains.py"]
