"""The tools that builds find outside of the system's folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from polynya_tournaments.uploads.building.build_tools import BuildTools, find_build_tools


def tool(path: Path, script: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def found(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> BuildTools:
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    return find_build_tools()


def test_a_tool_is_shown_with_the_folder_it_was_installed_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(tmp_path / "node-20" / "bin" / "node")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "node").symlink_to(tmp_path / "node-20" / "bin" / "node")

    tools = found(monkeypatch, tmp_path / "links")

    assert tools.paths == (tmp_path / "node-20",)
    assert tools.search == (tmp_path / "node-20" / "bin",)


def test_rust_is_the_toolchain_that_rustup_would_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder, toolchain = tmp_path / "bin", tmp_path / "toolchains" / "stable"
    tool(bin_folder / "rustup", f"echo {toolchain}")
    for name in ("cargo", "rustc"):
        (bin_folder / name).symlink_to("rustup")

    tools = found(monkeypatch, bin_folder, Path("/bin"))

    assert tools.paths == (toolchain,)
    assert tools.search == (toolchain / "bin",)


def test_a_home_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path / "bin" / "node")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert found(monkeypatch, tmp_path / "bin") == BuildTools((), ())


def test_the_systems_tools_are_there_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, Path("/usr/bin"), Path("/bin")) == BuildTools((), ())


def test_our_python_comes_first_and_what_the_host_says_wins() -> None:
    tools = BuildTools((Path("/opt/go"),), (Path("/opt/go/bin"),))

    environment = tools.environment({"PATH": "/ours:/usr/bin"}, {"GOPROXY": "https://go.lan"})

    assert environment["PATH"] == "/ours:/opt/go/bin:/usr/bin"
    assert environment["GOPROXY"] == "https://go.lan"
    assert environment["HTTPS_PROXY"] == "http://{POLYNYA_HOST}:{POLYNYA_PORT}"
