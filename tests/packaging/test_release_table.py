"""The table of `make release-check`: what was done with an artefact, and why something was not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.folders import ROOT

GO = "tests/packaging/sdks/test_go_module.py"


def test_table_says_which_tool_is_missing(tmp_path: Path) -> None:
    (tmp_path / "git").symlink_to(str(shutil.which("git")))
    environment = {**os.environ, "PATH": str(tmp_path), "COLUMNS": "120"}
    environment.pop("POLYNYA_REQUIRE_ALL", None)
    command = (sys.executable, "-m", "tests.packaging", GO)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    (row,) = (line for line in done.stdout.splitlines() if "Go module clients/go" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]

    assert done.returncode == 1
    assert cells == ["Go module clients/go", "ok (1)", *["not tried (1 of 1)"] * 3]
    (sentence,) = (line for line in done.stdout.splitlines() if line.startswith("Not tried: "))
    assert "Go" in sentence
    assert "https://go.dev/dl" in sentence
