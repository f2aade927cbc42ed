"""The adapter is a part of its own: nothing else of Polynya imports it."""

from __future__ import annotations

from tests.folders import PACKAGES
from tests.test_architecture import files, imported

ADAPTER = "polynya_foreign.openspiel"


def test_nothing_else_imports_the_adapter() -> None:
    inside = PACKAGES["polynya_foreign"] / "openspiel"
    assert [
        str(path)
        for package in PACKAGES
        for path in files(package)
        if inside not in path.parents and any(name.startswith(ADAPTER) for name in imported(path))
    ] == []
