"""The C library: installed, found by pkg-config, and called from C, C++ and another language."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.clients import toolchains
from tests.packaging.published import CLIENTS, VERSION, example, plays, said

ARTEFACT = "C libpolynya"
FOLDER = CLIENTS / "c"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The prefix of an installation."""
    toolchains.require("cmake", "make", "c", "cpp", "pkg-config")
    prefix, build = tmp_path_factory.mktemp("prefix"), tmp_path_factory.mktemp("build")
    said("cmake", "-S", FOLDER, "-B", build, "-DPOLYNYA_C_EXAMPLES=OFF", cwd=build)
    said("cmake", "--build", build, "--parallel", "2", cwd=build)
    said("cmake", "--install", build, "--prefix", prefix, cwd=build)
    return prefix


def library(installed: Path) -> Path:
    """The shared library, by the name that programs link with."""
    (found,) = installed.rglob("libpolynya.so")
    return found


def asked(installed: Path, *words: str) -> str:
    """What pkg-config says about the library."""
    env = {"PKG_CONFIG_PATH": str(library(installed).parent / "pkgconfig")}
    return said("pkg-config", *words, "polynya", cwd=installed, env=env).strip()


@pytest.mark.step("built")
def test_library_header_licence_and_package_are_installed(installed: Path) -> None:
    names = {path.name for path in installed.rglob("*") if path.is_file()}
    assert {"polynya.h", "LICENSE", "CHANGELOG.md", "README.md", "polynya.pc"} <= names
    assert f"libpolynya.so.{VERSION}" in names


@pytest.mark.step("checked")
def test_package_says_the_version_of_the_release(installed: Path) -> None:
    assert asked(installed, "--modversion") == VERSION


@pytest.mark.step("checked")
@pytest.mark.parametrize("language", [("cc", "-std=c99"), ("c++", "-x", "c++", "-std=c++11")])
def test_header_compiles_without_a_warning(
    installed: Path, language: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "bot.c").write_text("#include <polynya.h>\n")
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
    flags = asked(installed, "--cflags").split()
    said(*language, *warnings, *flags, "bot.c", cwd=tmp_path)


@pytest.mark.step("played")
async def test_bot_built_with_pkg_config_plays(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "my_bot.c").write_text(example("c", "c"))
    flags = asked(installed, "--cflags", "--libs").split()
    path = f"-Wl,-rpath,{library(installed).parent}"
    said("cc", "-std=c99", "my_bot.c", "-o", "my_bot", *flags, path, cwd=tmp_path)
    await plays([tmp_path / "my_bot"])


@pytest.mark.step("played")
async def test_bot_in_a_language_that_calls_c_plays(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "bound.py").write_text(example("c", "python"))
    await plays([sys.executable, tmp_path / "bound.py", os.fspath(library(installed))])
