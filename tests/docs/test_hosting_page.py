"""The hosting page: its settings, the figures that the server tells, its example of a file."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.folders import DOCS

from polynya_server.metrics.prometheus import ServerCollector
from polynya_server.testing import race_host
from polynya_tournaments.cli.commands.play.serve import disk_gauges
from polynya_tournaments.cli.serve_settings import read_serve_settings

PAGE = (DOCS / "hosting.md").read_text(encoding="utf-8")


def test_tables_of_settings_are_those_that_the_script_writes() -> None:
    command = [sys.executable, str(DOCS / "settings_tables.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


async def test_documented_metrics_are_the_exported_ones(tmp_path: Path) -> None:
    async with race_host() as host:
        families = list(ServerCollector(host.server).collect())
    told = {f"{f.name}_total" if f.type == "counter" else f.name for f in families}
    told |= {f"polynya_{name}" for name, _, _ in disk_gauges(tmp_path / "contest.sqlite")}
    explained = PAGE.partition("| figure |")[2].partition("The counters begin")[0]
    assert set(re.findall(r"`(polynya_\w+)`", explained)) == told


def test_the_example_of_settings_is_read(tmp_path: Path) -> None:
    [example] = re.findall(r"```toml\n(game = .*?)```", PAGE, re.DOTALL)
    path = tmp_path / "ladder.toml"
    path.write_text(example, encoding="utf-8")
    assert read_serve_settings(path, {}).grace_ms == tomllib.loads(example)["grace_ms"] == 20_000
