"""What commands import before they begin: no more than they need."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
from cyclopts import App

from polynya_app.application import run
from polynya_app.command_tree import app, every_command
from polynya_app.commands.programs.rerun import rerun_seat

LOADED = """
import sys
from polynya_app import main
sys.argv = ["polynya", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
OF_HELP = {
    "cython_runtime",
    "msgpack",
    "attr",
    "attrs",
    "cyclopts",
    "docstring_parser",
    "markdown_it",
    "mdurl",
    "msgspec",
    "polynya_app",
    "polynya_common",
    "polynya_contest",
    "polynya_games",
    "polynya_protocol",
    "pygments",
    "rich",
    "rich_rst",
    "typing_extensions",
}
NEEDED_BY_PAGES = {"starlette", "hypercorn", "jinja2", "h11"}


def loaded(*words: str) -> set[str]:
    """The top-level packages that a command has imported at its end, without Python's own."""
    ended = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True
    )
    return set(ended.stderr.splitlines()[-1].split()) - set(sys.stdlib_module_names)


def test_help_imports_nothing_of_the_work_of_commands() -> None:
    assert {name for name in loaded("--help") if not name.startswith("_")} <= OF_HELP


def test_match_imports_neither_pages_nor_log_nor_analysis() -> None:
    of_match = loaded("match", "random", "random", "--games", "1", "--move-ms", "5000")
    assert of_match & {*NEEDED_BY_PAGES, "structlog", "alembic", "numpy"} == set()


def test_each_summary_is_the_first_sentence_of_the_help() -> None:
    found = [command for command in every_command() if command.default_command]
    assert len(found) > 40
    first = {" ".join(command.help.partition("\n\n")[0].split()) for command in found}
    assert set(specs(app)) == first


def test_no_two_commands_have_the_same_help() -> None:
    pages = [command.help for command in every_command() if command.default_command]
    assert [page for page in pages if pages.count(page) > 1] == []


def specs(group: App) -> list[str]:
    """The summaries of commands, as they are registered."""
    found: list[str] = []
    for one in group._commands.values():
        found += specs(one) if isinstance(one, App) else [one.help or ""]
    return found


def test_page_of_a_command_has_its_whole_docstring(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rerun", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    second = (inspect.getdoc(rerun_seat) or "").split("\n\n")[1]
    assert " ".join(second.split()) in shown
