"""The C++ package: installed, and found by find_package, FetchContent and pkg-config."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.clients import toolchains
from tests.packaging.published import ADDRESS, CLIENTS, VERSION, example, plays, said

ARTEFACT = "CMake polynya-client"
FOLDER = CLIENTS / "cpp"
PROJECT = """cmake_minimum_required(VERSION 3.21)
project(my_bot LANGUAGES CXX)
{found}
add_executable(my_bot my_bot.cpp)
target_link_libraries(my_bot PRIVATE polynya::client)
"""
FETCHED = f"""
include(FetchContent)
FetchContent_Declare(polynya GIT_REPOSITORY {ADDRESS}.git
                     GIT_TAG v{VERSION} SOURCE_SUBDIR clients/cpp)
FetchContent_MakeAvailable(polynya)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prefix of an installation."""
    toolchains.require("cmake", "make", "cpp")
    prefix, build = tmp_path_factory.mktemp("prefix"), tmp_path_factory.mktemp("build")
    options = ("-DPOLYNYA_TESTS=OFF", "-DPOLYNYA_EXAMPLES=OFF", "-DCMAKE_BUILD_TYPE=Release")
    said("cmake", "-S", FOLDER, "-B", build, *options, cwd=build)
    said("cmake", "--build", build, "--parallel", "2", cwd=build)
    said("cmake", "--install", build, "--prefix", prefix, cwd=build)
    return prefix


def built(folder: Path, found: str, *options: str, env: Mapping[str, str] | None = None) -> Path:
    """The bot of the README, built as a project of its own."""
    (folder / "my_bot.cpp").write_text(example("cpp", "cpp"))
    (folder / "CMakeLists.txt").write_text(PROJECT.format(found=found))
    said("cmake", "-S", ".", "-B", "build", *options, cwd=folder, env=env)
    said("cmake", "--build", "build", "--parallel", "2", cwd=folder, env=env)
    return folder / "build" / "my_bot"


@pytest.mark.step("built")
def test_headers_licence_and_packages_are_installed(installed: Path) -> None:
    names = {path.name for path in installed.rglob("*") if path.is_file()}
    packages = {"polynya-client-config.cmake", "polynya-client.pc"}
    assert {"client.hpp", "json.hpp", "LICENSE", "CHANGELOG.md", *packages} <= names


@pytest.mark.step("checked")
def test_version_is_refused_where_another_minor_version_is_asked_for(
    installed: Path, tmp_path: Path
) -> None:
    major, minor, _ = VERSION.split(".")
    ask = f"find_package(polynya-client {major}.{int(minor) + 1} CONFIG REQUIRED)"
    with pytest.raises(AssertionError, match="compatible with requested version"):
        built(tmp_path, ask, f"-DCMAKE_PREFIX_PATH={installed}")


@pytest.mark.step("played")
async def test_bot_that_finds_the_package_plays(installed: Path, tmp_path: Path) -> None:
    found = f"find_package(polynya-client {VERSION} CONFIG REQUIRED)"
    await plays([built(tmp_path, found, f"-DCMAKE_PREFIX_PATH={installed}")])


@pytest.mark.step("played")
async def test_bot_built_with_pkg_config_plays(installed: Path, tmp_path: Path) -> None:
    toolchains.require("pkg-config")
    (tmp_path / "my_bot.cpp").write_text(example("cpp", "cpp"))
    (folder,) = {path.parent for path in installed.rglob("polynya-client.pc")}
    env = {"PKG_CONFIG_PATH": str(folder)}
    asked = said("pkg-config", "--cflags", "--libs", "polynya-client", cwd=tmp_path, env=env)
    said("c++", "-std=c++20", "my_bot.cpp", "-o", "my_bot", *asked.split(), cwd=tmp_path)
    await plays([tmp_path / "my_bot"])


@pytest.mark.step("played")
async def test_bot_that_fetches_the_repository_plays(
    repository: Mapping[str, str], tmp_path: Path
) -> None:
    toolchains.require("cmake", "make", "cpp")
    await plays([built(tmp_path, FETCHED, env=repository)])
