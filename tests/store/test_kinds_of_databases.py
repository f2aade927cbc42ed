"""What differs between the kinds of databases stands in one sub-package of the store."""

from __future__ import annotations

import re
from pathlib import Path

from tests.folders import PACKAGES, ROOT

OF_ONE_KIND = re.compile(
    r"import sqlite3|dialects import|from sqlalchemy.dialects|PRAGMA|json_each|BEGIN IMMEDIATE|"
    r"\bSQLite\b|psycopg\.|import psycopg|pg_[a-z]+\(|pg_constraint",
)
ELSEWHERE = {
    "diagnostics.py",  # whether this Python's SQLite is new enough
}


def test_only_one_sub_package_knows_the_kinds_of_databases() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {word[0]}"
        for package in PACKAGES.values()
        for path in sorted(package.rglob("*.py"))
        if "backends" not in Path(path).parts and path.name not in ELSEWHERE
        for word in OF_ONE_KIND.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
