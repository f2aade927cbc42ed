"""Compiled modules: in the wheel where they can be compiled, and doing what their sources say."""

from __future__ import annotations

import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import build
import pytest
from build.env import DefaultIsolatedEnv
from packaging.requirements import Requirement
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename
from tests.clients.toolchains import require
from tests.folders import ROOT
from tests.packaging.environments import MATCH, built_wheel, run, unpacked

ARTEFACT = "wheel polynya"
POLYNYA = (sys.executable, "-c", "from polynya_app import main; main()")
REFUSING_COMPILER = """#!/bin/sh
case "$*" in *mypyc*) echo "this compiler knows mypyc and refuses" >&2; exit 3;; esac
exec cc "$@"
"""


def sources() -> list[str]:
    """Of the modules that wheels hold compiled, as in ``polynya_server/server.py``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["compiled"]
    return [path.partition("/")[2] for path in listed]


def modules() -> list[str]:
    """The same as in ``polynya_server/server``."""
    return [source.rpartition(".")[0] for source in sources()]


def files(wheel: Path) -> set[str]:
    """The names of all files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def extension_modules(wheel: Path) -> set[str]:
    """Those of them that are compiled."""
    return {name for name in files(wheel) if name.endswith((".so", ".pyd"))}


@pytest.fixture(scope="session")
def compiler() -> None:
    """Where nothing can be compiled, these tests are skipped."""
    require("extension modules")


@pytest.fixture(scope="session")
def compiled_wheel(compiler: None, server_wheel: Path) -> Path:  # noqa: ARG001
    return server_wheel


@pytest.fixture(scope="session")
def compiled(compiled_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Variables with which this Python runs the compiled wheel."""
    return unpacked(compiled_wheel, tmp_path_factory.mktemp("compiled") / "site-packages")


@pytest.mark.step("built")
def test_a_wheel_holds_each_module_as_source_and_compiled(compiled_wheel: Path) -> None:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert set(sources()) <= files(compiled_wheel)
    assert {f"{module}{suffix}" for module in modules()} == {
        name for name in extension_modules(compiled_wheel) if "/" in name
    }


@pytest.mark.step("built")
def test_the_library_that_they_share_is_at_the_top(compiled_wheel: Path) -> None:
    (library,) = (name for name in extension_modules(compiled_wheel) if "/" not in name)
    assert library.partition(".")[0].endswith("__mypyc")


@pytest.mark.step("built")
def test_a_compiled_wheel_is_for_this_python_on_this_platform(compiled_wheel: Path) -> None:
    tags = parse_wheel_filename(compiled_wheel.name)[3]
    assert tags <= set(sys_tags())
    assert {"any", "none"}.isdisjoint({name for tag in tags for name in (tag.platform, tag.abi)})


def test_the_compiled_modules_are_what_runs(compiled: Mapping[str, str], tmp_path: Path) -> None:
    names = [module.replace("/", ".") for module in modules()]
    listing = (
        f"import importlib; [print(type(importlib.import_module(n).__loader__).__name__) "
        f"for n in {names}]"
    )
    loaders = run(sys.executable, "-c", listing, cwd=tmp_path, env=compiled).split()
    assert ["ExtensionFileLoader"] * len(names) == loaders


@pytest.mark.step("played")
def test_an_installed_compiled_wheel_says_so_and_plays(
    compiler: None,  # noqa: ARG001
    server_programs: Path,
    tmp_path: Path,
) -> None:
    polynya = server_programs / "polynya"
    assert run(polynya, "--version", cwd=tmp_path).endswith(" (compiled)\n")
    run(polynya, *MATCH, cwd=tmp_path)


def plays_as_pure_python(wheel: Path, folder: Path) -> None:
    """Check that a wheel is for every platform, and plays."""
    assert wheel.name.endswith("-py3-none-any.whl")
    assert set() == extension_modules(wheel)
    installed = unpacked(wheel, folder / "site-packages")
    assert run(*POLYNYA, "--version", cwd=folder, env=installed).endswith(" (interpreted)\n")
    run(*POLYNYA, *MATCH, cwd=folder, env=installed)


@pytest.mark.step("played")
def test_a_wheel_of_pure_python_can_be_asked_for(tmp_path: Path) -> None:
    plays_as_pure_python(built_wheel(ROOT, tmp_path, {"POLYNYA_COMPILE": "0"}), tmp_path)


@pytest.mark.step("played")
def test_without_a_c_compiler_the_wheel_is_pure_python_with_a_warning(
    tmp_path: Path,
) -> None:
    wheel = built_wheel(ROOT, tmp_path, {"CC": "/bin/false"})
    told = (tmp_path / "warnings").read_text(encoding="utf-8")
    assert "because the C compiler '/bin/false' fails with exit code 1." in told
    plays_as_pure_python(wheel, tmp_path)


@pytest.mark.step("played")
def test_failed_compilation_gives_a_pure_python_wheel_with_a_warning(
    compiler: None,  # noqa: ARG001
    tmp_path: Path,
) -> None:
    refusing = tmp_path / "refusing-cc"
    refusing.write_text(REFUSING_COMPILER, encoding="utf-8")
    refusing.chmod(0o755)
    wheel = built_wheel(ROOT, tmp_path, {"CC": str(refusing)})
    told = (tmp_path / "warnings").read_text(encoding="utf-8")
    assert "this compiler knows mypyc and refuses" in told
    assert "because compiling failed, as is said above." in told
    plays_as_pure_python(wheel, tmp_path)


def test_an_editable_install_is_interpreted_and_needs_nothing_to_compile_with(
    tmp_path: Path,
) -> None:
    with DefaultIsolatedEnv() as environment:
        builder = build.ProjectBuilder.from_isolated_env(environment, ROOT)
        environment.install(builder.build_system_requires)
        requirements = builder.get_requires_for_build("editable")
        environment.install(requirements)
        wheel = Path(builder.build("editable", tmp_path))

    assert {"editables"} == {Requirement(requirement).name for requirement in requirements}
    assert set() == extension_modules(wheel)
