"""The starter kits of all languages, uploaded as they are written: built, validated, accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients import toolchains
from tests.tournaments.uploads.serving import kit, serving

from polynya_hosting.kits.templates import KITS


@pytest.mark.parametrize("language", KITS)
def test_a_kit_as_it_is_written_is_accepted(language: str, tmp_path: Path) -> None:
    toolchains.require_sandboxes()
    toolchains.require(*KITS[language].needs)
    settings = f"[uploads]\nmirrors = {list(KITS[language].mirrors)}\n"

    with serving(tmp_path, "fish", settings=settings) as server:
        done = server.upload(kit(tmp_path, "fish", language))

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("it is accepted\n")


@pytest.mark.parametrize("language", [name for name, kit in KITS.items() if kit.vendor])
def test_a_kit_that_brings_its_packages_needs_no_mirror(language: str, tmp_path: Path) -> None:
    toolchains.require_sandboxes()
    toolchains.require(*KITS[language].needs)
    program = kit(tmp_path, "fish", language)
    toolchains.run("bash", "-c", KITS[language].vendor, cwd=program)

    with serving(tmp_path, "fish") as server:
        done = server.upload(program)

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_kit_without_its_packages_is_told_what_it_asked_for(tmp_path: Path) -> None:
    toolchains.require_sandboxes()
    toolchains.require(*KITS["go"].needs)

    with serving(tmp_path, "fish") as server:
        done = server.upload(kit(tmp_path, "fish", "go"))

    assert done.returncode == 1
    assert "it asked for proxy.golang.org, and builds here have no network" in done.stderr


def test_the_sums_of_the_kit_for_go_are_those_of_the_sdk(tmp_path: Path) -> None:
    program = kit(tmp_path, "fish", "go")

    assert (program / "go.sum").read_text() == (toolchains.CLIENTS / "go" / "go.sum").read_text()
