"""A tournament of each format on a PostgreSQL server, by the commands that hosts use."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.postgresql import PostgreSQL
from tests.tournaments.whole.test_every_format import FORMATS, names_of

from polynya_app.application import run


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_played_reported_and_verified(
    name: str, postgresql: PostgreSQL, polynya: list[str], tmp_path: Path
) -> None:
    url = postgresql.empty().secret
    description = tmp_path / "cup.toml"
    bots = "".join(f'[[bots]]\nname = "{bot}"\nbuiltin = "random"\n' for bot in names_of(name))
    description.write_text(
        f'name = "cup"\ngame = "packeis"\nseed = 7\nformat = "{name}"\ndatabase = "{url}"\n'
        f"clock = {{ move_ms = 60_000 }}\n{FORMATS[name]}\n{bots}"
    )
    command = [*polynya, "tournament", "run", str(description), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["complete"]
    bundle = tmp_path / "cup.zip"
    for words in (
        ["ratings", "recompute", "--check"],
        ["replay", "verify", "--all"],
        ["tournament", "status", "cup"],
        ["tournament", "report", "cup", "--bundle", str(bundle), "--key", str(tmp_path / "key")],
    ):
        assert run([*words, "--database", url]) == 0
    assert run(["tournament", "verify", str(bundle)]) == 0
