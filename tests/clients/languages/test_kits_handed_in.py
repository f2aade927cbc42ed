"""The starter kits of all languages, handed in as they are written: built, validated, accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients import toolchains
from tests.tournaments.uploads.serving import kit, serving

from polynya_tournaments.bots.templates import KITS


@pytest.mark.parametrize("language", KITS)
def test_a_kit_as_it_is_written_is_accepted(language: str, tmp_path: Path) -> None:
    toolchains.require_sandboxes()
    toolchains.require(*KITS[language].needs)
    settings = f"upload_mirrors = {list(KITS[language].mirrors)}\n"

    with serving(tmp_path, "fish", settings=settings) as server:
        done = server.upload(kit(tmp_path, "fish", language))

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("it is accepted\n")
