"""What commands import before they begin: no more than they need."""

from __future__ import annotations

import inspect
import subprocess
import sys

from cyclopts import App
from cyclopts.command_spec import CommandSpec

from polynya_app.command_tree import app

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
    assert of_match & {*NEEDED_BY_PAGES, "structlog", "alembic", "numpy", "scipy"} == set()


def commands(group: App) -> list[CommandSpec | App]:
    """All commands of a group and of the groups in it, as they are registered."""
    found: list[CommandSpec | App] = []
    for one in group._commands.values():
        found += commands(one) if isinstance(one, App) else [one]
    return found


def test_each_summary_is_the_first_sentence_of_the_help() -> None:
    specs = [one for one in commands(app) if isinstance(one, CommandSpec)]
    assert len(specs) > 40
    for spec in specs:
        function = spec.resolve(app).default_command
        first = (inspect.getdoc(function) or "").partition("\n\n")[0]
        assert spec.help == " ".join(first.split())
