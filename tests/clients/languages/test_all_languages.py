"""The all-language tournament, one game of it: bots of every SDK that is here meet all others."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.clients import toolchains


def test_bots_of_all_languages_meet_and_every_replay_verifies(tmp_path: Path) -> None:
    script = toolchains.CLIENTS / "tournament.py"
    database = tmp_path / "all.sqlite"
    played = subprocess.run(
        [sys.executable, script, "--game", "icecult", "--database", database],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
        timeout=1_800,
    )

    assert played.returncode == 0, played.stdout + played.stderr
    missing = [line for line in played.stdout.splitlines() if "does not play" in line]
    if os.environ.get("POLYNYA_REQUIRE_ALL") == "1":
        assert missing == []
    sdks = [
        tomllib.loads(path.read_text("utf-8"))["name"]
        for path in toolchains.CLIENTS.glob("*/conformance*.toml")
    ]
    present = [name for name in sdks if f" {name}-random " in played.stdout]
    pairs = len(present) * (len(present) - 1)
    assert len(present) + len(missing) == len(sdks)
    assert f"\n{pairs} replays verified, 0 with differences\n" in played.stdout
