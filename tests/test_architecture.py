"""The dependency arrows between the packages, read from every import statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PACKAGES = {
    "polynya_protocol": ROOT / "protocol" / "polynya_protocol",
    "polynya_games": ROOT / "games" / "polynya_games",
    "polynya_server": ROOT / "server" / "polynya_server",
    "polynya_tournaments": ROOT / "tournaments" / "polynya_tournaments",
    "polynya_web": ROOT / "web" / "polynya_web",
    "polynya_client": ROOT / "clients" / "python" / "polynya_client",
}

MAY_IMPORT = {
    "polynya_protocol": set(),
    "polynya_games": set(),
    "polynya_server": {"polynya_protocol", "polynya_games"},
    "polynya_tournaments": {"polynya_protocol", "polynya_games", "polynya_server"},
    "polynya_web": {
        "polynya_protocol",
        "polynya_games",
        "polynya_server",
        "polynya_tournaments",
    },
    "polynya_client": set(),
}

FOLDERS = {"protocol", "games", "server", "tournaments", "web", "clients", "building"}

FILES = [
    pytest.param(package, path, id=str(path.relative_to(ROOT)))
    for package, folder in PACKAGES.items()
    for path in sorted(folder.rglob("*.py"))
]


def imported(path: Path) -> Iterator[str]:
    """The top-level packages that a file imports, anywhere in it; "." for a relative import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] if node.level == 0 else "."


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_files(package: str) -> None:
    assert (PACKAGES[package] / "__init__.py").is_file()


@pytest.mark.parametrize(("package", "path"), FILES)
def test_arrows_go_one_way(package: str, path: Path) -> None:
    others = set(imported(path)) & (set(PACKAGES) - {package})
    assert others <= MAY_IMPORT[package]


@pytest.mark.parametrize(
    ("package", "path"),
    [case for case in FILES if case.values[0] in ("polynya_protocol", "polynya_games")],
)
def test_protocol_and_games_do_no_networking(package: str, path: Path) -> None:
    assert set() == set(imported(path)) & {"trio", "socket", "select", "asyncio", "ssl"}, package


@pytest.mark.parametrize(
    ("package", "path"), [case for case in FILES if case.values[0] == "polynya_client"]
)
def test_the_client_needs_msgpack_and_nothing_else(package: str, path: Path) -> None:
    known = {"trio", "msgspec", "structlog", "sqlalchemy", "rich", "cyclopts", "alembic"}
    extra = {"trio"} if path.parent.name == "aio" else set()
    assert set() == set(imported(path)) & (known - extra), package


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=str(path.relative_to(ROOT)))
        for folder in (*FOLDERS, "tests", "benchmarks", "docs")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ],
)
def test_no_import_by_the_name_of_a_folder(path: Path) -> None:
    assert set() == set(imported(path)) & FOLDERS
