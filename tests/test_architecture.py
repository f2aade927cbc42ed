"""The dependency arrows between packages, and between the parts of each, read from all imports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.folders import PACKAGES, ROOT

FOLDERS = {package: path.parent.name for package, path in PACKAGES.items()} | {
    "polynya_client": "clients/python"
}

_BELOW_STORE = {"polynya_common", "polynya_protocol", "polynya_games", "polynya_server"}
_BELOW_TOURNAMENTS = _BELOW_STORE | {
    "polynya_contest",
    "polynya_store",
    "polynya_hosting",
    "polynya_foreign",
    "polynya_conformance",
}
PACKAGES_MAY_IMPORT: Mapping[str, set[str]] = {
    "polynya_common": set(),
    "polynya_protocol": {"polynya_common"},
    "polynya_games": set(),
    "polynya_server": {"polynya_common", "polynya_protocol", "polynya_games"},
    "polynya_contest": _BELOW_STORE,
    "polynya_store": _BELOW_STORE | {"polynya_contest"},
    "polynya_hosting": _BELOW_STORE | {"polynya_contest"},
    "polynya_foreign": _BELOW_STORE | {"polynya_contest", "polynya_hosting", "polynya_client"},
    "polynya_conformance": _BELOW_STORE | {"polynya_contest", "polynya_hosting"},
    "polynya_tournaments": _BELOW_TOURNAMENTS,
    "polynya_evidence": _BELOW_STORE | {"polynya_contest", "polynya_store", "polynya_conformance"},
    "polynya_web": _BELOW_TOURNAMENTS | {"polynya_tournaments", "polynya_evidence"},
    "polynya_app": {*PACKAGES},
    "polynya_client": set(),
}
"""The rooms, and the rooms that each may import; docs/rooms.md draws the same."""

EVERYTHING = {"*"}

A_GAME_NEEDS = {
    "boards",
    "cells",
    "chance",
    "encoding",
    "errors",
    "game",
    "randomness",
    "ranking",
    "reading",
    "refusals",
    "steps",
}

OPENED = {"backends", "database", "schema"}
"""What the parts of the store need that ask an open database."""

MAY_IMPORT: Mapping[str, Mapping[str, set[str]]] = {
    "polynya_games": {
        "errors": set(),
        "randomness": set(),
        "ranking": set(),
        "refusals": {"errors"},
        "cells": {"errors", "refusals"},
        "reading": {"errors", "refusals"},
        "steps": {"errors", "refusals"},
        "encoding": {"steps"},
        "chance": {"randomness"},
        "boards": {"errors"},
        "game": {"boards", "chance", "encoding", "errors", "refusals", "steps"},
        "seats": {"game"},
        "turns": {"errors", "game", "refusals", "seats"},
        "registry": {"errors", "game"},
        "arktia": A_GAME_NEEDS,
        "icecult": A_GAME_NEEDS,
        "packeis": A_GAME_NEEDS,
        "perft": {"game", "seats", "turns"},
        "trace": {"chance", "errors", "game", "refusals", "registry", "seats", "turns"},
        "playthrough": {
            "errors",
            "game",
            "randomness",
            "refusals",
            "registry",
            "seats",
            "trace",
            "turns",
        },
        "checks": {"boards", "chance", "errors", "game", "perft", "randomness", "seats", "turns"},
        "rl": {
            "encoding",
            "errors",
            "game",
            "randomness",
            "refusals",
            "registry",
            "seats",
            "turns",
        },
        "__init__": {"errors", "game", "registry", "turns"},
    },
    "polynya_server": {
        "changes": set(),
        "errors": set(),
        "log": set(),
        "version": set(),
        "settings": {"errors"},
        "rate_limit": {"timing"},
        "http": {"rate_limit", "log"},
        "records": set(),
        "timing": {"log", "records"},
        "transport": {"changes", "timing", "log", "settings"},
        "match": {"records", "timing", "log", "errors", "version"},
        "sessions": {
            "rate_limit",
            "match",
            "transport",
            "records",
            "timing",
            "changes",
            "settings",
            "log",
            "version",
        },
        "spectating": {"match", "records", "transport", "timing", "log"},
        "metrics": {"http", "records", "timing"},
        "match_pool": {
            "match",
            "records",
            "sessions",
            "spectating",
            "metrics",
            "timing",
            "errors",
        },
        "server": {
            "match_pool",
            "match",
            "sessions",
            "spectating",
            "metrics",
            "records",
            "transport",
            "settings",
        },
        "assembly": EVERYTHING,
        "testing": EVERYTHING,
        "__init__": EVERYTHING,
    },
    "polynya_common": {
        "__init__": set(),
        "errors": set(),
        "file_names": set(),
        "reasons": set(),
        "process_report": {"reasons"},
        "extras": {"errors"},
        "text": {"errors"},
        "zip_layout": set(),
        "database_address": {"errors"},
    },
    "polynya_contest": {
        "__init__": set(),
        "conduct": set(),
        "ratings": set(),
        "secret": set(),
        "pairing": {"ratings", "secret"},
        "config": {"pairing", "ratings", "secret"},
    },
    "polynya_hosting": {
        "__init__": set(),
        "bot_logs": set(),
        "sandbox": set(),
        "bots": {"sandbox"},
        "self_test": {"bots", "sandbox"},
        "kits": set(),
    },
    "polynya_conformance": {
        "__init__": set(),
        "findings": set(),
        "alternative_encodings": set(),
        "requirements": {"findings"},
        "peer": {"alternative_encodings"},
        "bot": {"alternative_encodings", "findings", "peer", "requirements"},
        "server": {"alternative_encodings", "findings", "peer", "requirements"},
        "replay": {"alternative_encodings", "bot", "peer"},
        "secrecy": {"alternative_encodings"},
    },
    "polynya_evidence": {
        "__init__": set(),
        "csv_cells": set(),
        "analysis": set(),
        "reports": {"analysis", "csv_cells"},
        "exchange": {"reports", "csv_cells"},
        "bundles": {"analysis", "reports"},
    },
    "polynya_tournaments": {
        "__init__": set(),
        "cancellation": set(),
        "reproducible_archives": set(),
        "tournament": {"cancellation"},
        "distribution": {"tournament", "cancellation", "reproducible_archives"},
        "ladder": {"tournament"},
        "uploads": {"cancellation", "ladder", "tournament", "reproducible_archives"},
    },
    "polynya_tournaments.uploads": {
        "__init__": set(),
        "errors": set(),
        "settings": set(),
        "foreign_trees": set(),
        "archives": {"errors", "foreign_trees"},
        "examination": {"archives", "errors", "foreign_trees"},
        "building": {"archives", "errors", "examination", "foreign_trees"},
        "validation": {"archives", "examination"},
        "upload_client": {"errors"},
        "upload_folder": {"archives", "foreign_trees"},
        "quotas": {"errors", "settings"},
        "reception": {"archives", "errors", "examination", "quotas", "settings", "upload_folder"},
        "retention": {"quotas", "settings", "upload_folder"},
        "build_queue": {
            "archives",
            "building",
            "errors",
            "examination",
            "upload_folder",
            "validation",
        },
        "hosting": {"settings"},
        "tournament_bots": {"archives", "build_queue", "building", "errors", "upload_folder"},
        "service": EVERYTHING,
    },
    "polynya_web": {
        "settings": {"http"},
        "content": set(),
        "http": set(),
        "pictures": {"content"},
        "remote": {"content"},
        "live": {"content", "http", "remote", "settings"},
        "play": {"content", "http", "settings"},
        "site": {"content", "http", "live", "page_sources", "pictures", "remote", "settings"},
        "pages": {"content", "http", "live", "pictures", "play", "site"},
        "api": {"content", "http", "live", "site"},
        "web_server": {
            "api",
            "content",
            "http",
            "page_sources",
            "pages",
            "play",
            "settings",
            "site",
        },
        "page_sources": set(),
        "__init__": set(),
    },
    "polynya_store": {
        "disk_space": set(),
        "reachability": {"backends"},
        "schema": set(),
        "rows": set(),
        "backends": {"schema"},
        "statements": {"backends", "schema"},
        "migrations": {"matches", "schema"},
        "visibility": {"backends", "rows", "schema"},
        "database": {"backends"},
        "schema_upgrade": {"backends", "database", "schema"},
        "game_servers": {"backends", "database", "schema"},
        "recorded_secret": {"backends", "schema"},
        "bots": OPENED | {"rows", "statements"},
        "ratings": OPENED | {"rows", "statements", "visibility"},
        "seats_of_matches": {"rows", "schema", "statements"},
        "tournaments": OPENED
        | {
            "bots",
            "ratings",
            "recorded_secret",
            "rows",
            "seats_of_matches",
            "statements",
            "visibility",
        },
        "matches": OPENED
        | {
            "bots",
            "ratings",
            "recorded_secret",
            "rows",
            "seats_of_matches",
            "statements",
            "tournaments",
            "visibility",
        },
        "ladder": OPENED | {"bots", "matches", "ratings", "rows", "statements", "visibility"},
        "writer": OPENED | {"matches"},
        "imports": OPENED | {"bots", "ladder", "matches", "ratings", "statements", "store"},
        "store": EVERYTHING,
        "standby": {"backends", "database", "store"},
        "match_journal": EVERYTHING,
        "__init__": EVERYTHING,
    },
}
"""The groups of a package (its sub-packages and modules), and the groups that each may import.

A package without a table here is not looked into. Each group of a package must be in its table.
"""

NETWORKING = {"trio", "socket", "select", "asyncio", "ssl"}
CLIENT_NEEDS = {"msgpack"}


def folder(package: str) -> Path:
    """Where a package lies, or a package in one: its name is dotted then."""
    return ROOT / FOLDERS[package.partition(".")[0]] / package.replace(".", "/")


def files(package: str) -> list[Path]:
    return sorted(folder(package).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, anywhere in it; each relative import is "."."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield from (f"{module}.{alias.name}" if not node.level else "." for alias in node.names)


def top_level(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def group_of(package: str, path: Path) -> str:
    return path.relative_to(folder(package)).with_suffix("").parts[0]


def imported_groups(package: str, path: Path) -> set[str]:
    """The groups of the same package that a file imports; what the package exports is "*"."""
    inside = (f"{name}.*" for name in imported(path) if f"{name}.".startswith(f"{package}."))
    within = {name.removeprefix(f"{package}.").partition(".")[0] for name in inside}
    return {name if name in MAY_IMPORT[package] else "*" for name in within}


def test_arrows_between_packages_go_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {other}"
        for package, allowed in PACKAGES_MAY_IMPORT.items()
        for path in files(package)
        for other in sorted((top_level(path) & set(FOLDERS)) - {package} - allowed)
    ]
    assert wrong == []


def test_arrows_within_a_package_go_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {package}.{other}"
        for package, groups in MAY_IMPORT.items()
        for path in files(package)
        if groups.get(group := group_of(package, path)) is not EVERYTHING
        for other in sorted(imported_groups(package, path) - {group} - groups.get(group, set()))
    ]
    assert wrong == []


def test_each_group_of_a_package_is_in_its_table() -> None:
    missing = [
        f"{package}.{group}"
        for package, groups in MAY_IMPORT.items()
        for group in sorted({group_of(package, path) for path in files(package)} - set(groups))
    ]
    assert missing == []


def test_arrows_within_a_package_have_no_cycles() -> None:
    for package, groups in MAY_IMPORT.items():
        below = {name: to for name, to in groups.items() if to is not EVERYTHING}
        while free := {name for name, to in below.items() if not to & set(below)}:
            below = {name: to for name, to in below.items() if name not in free}
        assert below == {}, package


def test_protocol_and_games_do_no_networking() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for package in ("polynya_common", "polynya_protocol", "polynya_games")
        for path in files(package)
        if top_level(path) & NETWORKING
    ]
    assert wrong == []


def test_client_needs_msgpack_only_and_anyio_for_its_asynchronous_half() -> None:
    ours = {"polynya_client", "."} | CLIENT_NEEDS
    wrong = [
        f"{path.relative_to(ROOT)} imports {other}"
        for path in files("polynya_client")
        for other in sorted(top_level(path) - ours - sys.stdlib_module_names)
        if not (other == "anyio" and path.parent.name == "aio")
    ]
    assert wrong == []


def test_no_import_by_the_name_of_a_folder() -> None:
    """Only installed packages are imported: the tests then hold for a wheel as well."""
    folders = {"common", "protocol", "games", "server", "tournaments", "web", "clients", "building"}
    wrong = [
        str(path.relative_to(ROOT))
        for folder in (*sorted(folders), "tests", "benchmarks", "docs")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if top_level(path) & folders
    ]
    assert wrong == []
