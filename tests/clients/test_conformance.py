"""The table of SDKs and requirements in clients/README.md, and the script that writes it."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest
from tests.folders import ROOT

from polynya_conformance.requirements import REQUIREMENTS

CLIENTS = ROOT / "clients"


@pytest.fixture(scope="module")
def conformance() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "conformance", CLIENTS / "conformance.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["conformance"] = module
    specification.loader.exec_module(module)
    return module


def test_written_frames_are_read_back(conformance: ModuleType) -> None:
    columns = {"Rust": {"R1": "pass"}, "Go": {"R1": "**fail**", "R24": "n/a"}}
    text = f"before {conformance.BEGIN} an earlier one {conformance.END} after"
    written = conformance.with_table(text, columns)
    assert written.startswith("before ")
    assert written.endswith(" after")
    assert "an earlier one" not in written
    read = conformance.read_table(written)
    assert {sdk: {k: v for k, v in column.items() if v} for sdk, column in read.items()} == columns


def test_table_has_a_verdict_for_each_requirement(conformance: ModuleType) -> None:
    columns = conformance.read_table(conformance.README.read_text("utf-8"))
    numbers = [requirement.number for requirement in REQUIREMENTS]
    assert {sdk: list(column) for sdk, column in columns.items()} == dict.fromkeys(columns, numbers)
    assert "Python" in columns


def test_an_unknown_sdk_is_named(conformance: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"there is no SDK 'cobol'; there are .*rust"):
        conformance.selected(["rust", "cobol"])


def test_every_sdk_is_registered_under_the_name_of_its_folder(conformance: ModuleType) -> None:
    folders = sorted(file.parent for file in CLIENTS.glob("*/conformance.toml"))
    registered = conformance.registered()
    assert [sdk.home for sdk in registered if not sdk.folder] == folders
    assert [sdk.name for sdk in registered if not sdk.folder] == [path.name for path in folders]
    assert {sdk.home for sdk in registered if sdk.folder} <= set(folders)


@pytest.mark.parametrize("variant", ["Python", "Python, trio"])
def test_python_sdk_meets_all_that_its_bot_can_show(variant: str, conformance: ModuleType) -> None:
    columns = conformance.read_table(conformance.README.read_text("utf-8"))
    not_passed = {number: word for number, word in columns[variant].items() if word != "pass"}
    assert not_passed == {"R24": "n/a"}
