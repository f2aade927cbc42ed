"""The C++ SDK: built, its own tests, and its bots in matches on the real server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.clients import program_checks, toolchains
from tests.clients.matches import forfeits, play

FOLDER = toolchains.CLIENTS / "cpp"
BUILD = ("cmake", "--build", "build", "--parallel", "2", "--target")


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    toolchains.require("cmake", "make", "cpp")
    toolchains.run("cmake", "-S", ".", "-B", "build", cwd=FOLDER)
    toolchains.run(*BUILD, "random", "greedy", cwd=FOLDER)


def bot(name: str) -> list[str]:
    return [str(FOLDER / "build" / name)]


def test_unit_tests_and_shared_vectors() -> None:
    toolchains.require("gtest")
    toolchains.run(*BUILD, "client_test", cwd=FOLDER)
    toolchains.run(
        "ctest", "--test-dir", "build", "--no-tests=error", "--output-on-failure", cwd=FOLDER
    )


async def test_bots_play_whole_matches() -> None:
    await program_checks.plays_whole_matches(bot("random"), bot("greedy"))


async def test_bot_thinks_on_the_opponents_time() -> None:
    toolchains.run(*BUILD, "ponder", cwd=FOLDER)
    record = await play({"ponder": bot("ponder"), "greedy": bot("greedy")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


def test_sources_compile_for_windows_without_a_warning() -> None:
    toolchains.require("mingw")
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror")
    folders = ("-Iinclude", "-Isrc", "-isystem", "third_party")
    for source in sorted((FOLDER / "src").glob("*.cpp")):
        if source.name != "tls.cpp":  # OpenSSL's headers are for Linux here
            compiler = toolchains.program("mingw")
            words = ("-std=c++20", "-fsyntax-only", *warnings, *folders)
            toolchains.run(compiler, *words, source, cwd=FOLDER)


async def test_bot_of_the_readme_is_a_project_of_its_own(tmp_path: Path) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    (source,) = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
    (project,) = re.findall(r"```cmake\n(.*?)```", text, re.DOTALL)
    (tmp_path / "my_bot.cpp").write_text(source)
    (tmp_path / "CMakeLists.txt").write_text(project.replace("../clients/cpp", str(FOLDER)))
    build = FOLDER / "build" / "readme"
    toolchains.run("cmake", "-S", ".", "-B", build, "--fresh", cwd=tmp_path)
    toolchains.run("cmake", "--build", build, "--parallel", "2", cwd=tmp_path)
    mine = [str(build / "my_bot")]
    record = await play({"mine": mine, "random": bot("random")}, "packeis")

    assert (record.reason, forfeits(record)) == ("finished", [])


def test_bot_talks_over_tls(scripted_server: Any, tmp_path: Path) -> None:
    toolchains.require("openssl")
    program_checks.talks_over_tls(bot("random"), scripted_server, tmp_path)


def test_self_signed_certificate_is_refused(scripted_server: Any) -> None:
    toolchains.require("openssl")
    program_checks.refuses_unknown_certificates(bot("random"), scripted_server)


def test_interrupted_bot_says_goodbye(scripted_server: Any) -> None:
    program_checks.says_goodbye_when_interrupted(bot("random"), scripted_server)
