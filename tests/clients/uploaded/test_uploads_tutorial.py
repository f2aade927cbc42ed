"""The tutorial of uploads: a newcomer's evening, done as the page says, pictures and all."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tests.clients import toolchains
from tests.folders import DOCS


def photographer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_uploads", DOCS / "photograph_uploads.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_evening_goes_as_the_page_says(tmp_path: Path) -> None:
    toolchains.require_sandboxes()
    toolchains.require("cmake", "make", "cpp", "perl", "chromium")
    home, pictures = tmp_path / "home", tmp_path / "pictures"
    for folder in (home, pictures):
        folder.mkdir()
    module = photographer()

    module.Evening(home, pictures).run((DOCS / "uploads-tutorial.md").read_text("utf-8"))

    assert {path.name for path in pictures.iterdir()} == set(module.PICTURES)
