"""The Rust SDK: built, its own tests, and its bots in matches on the real server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play

FOLDER = toolchains.CLIENTS / "rust"
BUILD = ("--release", "--locked", "--features", "tls")


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    toolchains.require("cargo", "c")
    toolchains.run("cargo", "build", *BUILD, "--examples", cwd=FOLDER)


def bot(name: str) -> list[str]:
    return [str(FOLDER / "target" / "release" / "examples" / name)]


def test_unit_tests_and_shared_vectors() -> None:
    toolchains.run("cargo", "test", *BUILD, cwd=FOLDER)


def test_sources_are_formatted_and_linted() -> None:
    toolchains.require("clippy", "rustfmt")
    toolchains.run("cargo", "fmt", "--check", cwd=FOLDER)
    toolchains.run(
        "cargo", "clippy", *BUILD, "--all-targets", "--", "--deny", "warnings", cwd=FOLDER
    )


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("greedy"))


async def test_bot_of_the_readme_is_a_crate_of_its_own(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    (source,) = re.findall(r"```rust\n(.*?)```", text, re.DOTALL)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text(source)
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "my_bot"\nversion = "0.1.0"\nedition = "2024"\n'
        f'[dependencies]\nfastrand = "2"\npolynya-client = {{ path = "{FOLDER}" }}\n'
    )
    (tmp_path / "Cargo.lock").write_bytes((FOLDER / "Cargo.lock").read_bytes())
    target = FOLDER / "target" / "readme"
    toolchains.run("cargo", "build", "--target-dir", target, cwd=tmp_path)
    mine = [str(target / "debug" / "my_bot")]
    record = await play({"mine": mine, "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


def test_bot_talks_over_tls(scripted_server: Any, tmp_path: Path) -> None:
    program_checks.talks_over_tls(bot("random"), scripted_server, tmp_path)


def test_self_signed_certificate_is_refused(scripted_server: Any) -> None:
    program_checks.refuses_unknown_certificates(bot("random"), scripted_server)


def test_interrupted_bot_says_goodbye(scripted_server: Any) -> None:
    program_checks.says_goodbye_when_interrupted(bot("random"), scripted_server)
