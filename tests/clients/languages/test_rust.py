"""The Rust SDK: built, its own tests, and its bots in matches on the real server."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play
from tests.folders import ROOT

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


def test_documentation_has_no_warning() -> None:
    words = ("cargo", "--config", "build.rustdocflags='-Dwarnings'", "doc", "--no-deps", *BUILD)
    toolchains.run(*words, cwd=FOLDER)


async def test_bot_thinks_on_the_opponents_time() -> None:
    record = await play({"ponder": bot("ponder"), "greedy": bot("greedy")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("greedy"))


def crate(folder: Path, source: str, dependencies: str = "") -> list[str]:
    """A bot that is a crate of its own."""
    (folder / "src").mkdir()
    (folder / "src" / "main.rs").write_text(source)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "my_bot"\nversion = "0.1.0"\nedition = "2024"\n'
        f'[dependencies]\nfastrand = "2"\npolynya-client = {{ path = "{FOLDER}" }}\n{dependencies}'
    )
    (folder / "Cargo.lock").write_bytes((FOLDER / "Cargo.lock").read_bytes())
    target = FOLDER / "target" / "readme"
    toolchains.run("cargo", "build", "--target-dir", target, cwd=folder)
    mine = folder / "my_bot"
    shutil.copy(target / "debug" / "my_bot", mine)
    return [str(mine)]


async def test_bot_of_the_readme_is_a_crate_of_its_own(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    (source,) = re.findall(r"```rust\n(use std.*?)```", text, re.DOTALL)
    mine = crate(tmp_path, source)
    record = await play({"mine": mine, "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


OWN_BOT = """
use polynya_client::{Bot, BotResult, Settings, Steps, Turn, run};

struct Mine;

impl Bot for Mine {
    fn turn(&mut self, turn: &mut Turn) -> BotResult<Steps> {
        turn.info.insert("score".into(), 2.5.into());
        Ok(vec![turn.legal()?[0].clone()])
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        eprintln!("saved");
    }
}

fn main() -> std::process::ExitCode {
    run(Mine, &Settings::named("mine").games(["packeis"]).wants(["legal"]))
}
"""


async def test_numbers_stay_numbers_with_arbitrary_precision(
    tmp_path: Path, scripted_server: Any
) -> None:
    precise = 'serde_json = { version = "1", features = ["arbitrary_precision"] }\n'
    mine = crate(tmp_path, OWN_BOT, precise)
    record = await play({"mine": mine, "random": bot("random")}, "packeis")
    assert (record.reason, forfeits(record)) == ("finished", [])

    with program_checks.start(mine, scripted_server) as program:
        peer = scripted_server.accept()
        peer.welcome()
        program.send_signal(signal.SIGTERM)
        _, said = program.communicate(timeout=120)
    assert (program.returncode, "saved" in said) == (0, True)


READER = """
use std::io::{BufRead, stdin};

use polynya_client::Value;
use polynya_client::positions::{ArktiaState, IceCultState, PackeisState};
use serde::Deserialize;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in stdin().lock().lines() {
        let vector: Value = serde_json::from_str(&line?)?;
        let state = &vector["state"];
        let players = match state["game"].as_str() {
            Some("packeis") => PackeisState::deserialize(state)?.players,
            Some("arktia") => ArktiaState::deserialize(state)?.players,
            _ => IceCultState::deserialize(state)?.players,
        };
        println!("{players}");
    }
    Ok(())
}
"""


def test_positions_of_all_games_are_types(tmp_path: Path) -> None:
    (reader,) = crate(tmp_path, READER, 'serde = "1"\nserde_json = "1"\n')
    for game in ("packeis", "arktia", "icecult"):
        vectors = (ROOT / "games" / "vectors" / f"{game}.jsonl").read_text("utf-8")
        players = [json.loads(line)["state"]["players"] for line in vectors.splitlines()]
        read = subprocess.run([reader], input=vectors, capture_output=True, text=True, check=True)
        assert players == [int(line) for line in read.stdout.splitlines()]


def test_bot_talks_over_tls(scripted_server: Any, tmp_path: Path) -> None:
    program_checks.talks_over_tls(bot("random"), scripted_server, tmp_path)


def test_self_signed_certificate_is_refused(scripted_server: Any) -> None:
    program_checks.refuses_unknown_certificates(bot("random"), scripted_server)


def test_interrupted_bot_says_goodbye(scripted_server: Any) -> None:
    program_checks.says_goodbye_when_interrupted(bot("random"), scripted_server)
