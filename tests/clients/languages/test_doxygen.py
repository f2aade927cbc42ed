"""The documentation of the C and C++ SDKs, made of the comments in their headers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients import toolchains

OPTIONS = """
RECURSIVE = YES
GENERATE_LATEX = NO
HAVE_DOT = NO
QUIET = YES
WARN_AS_ERROR = FAIL_ON_WARNINGS
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = POLYNYA_API=
"""
"""Doxygen warns of each member without a comment, unless it is told to extract all."""


def document(headers: Path, folder: Path) -> None:
    """Make pages of the headers; they are all documented, or this fails."""
    toolchains.require("doxygen")
    places = f'INPUT = "{headers}"\nOUTPUT_DIRECTORY = "{folder}"\n'
    (folder / "Doxyfile").write_text(places + OPTIONS, "utf-8")
    toolchains.run("doxygen", cwd=folder)


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_documentation_builds_without_a_warning(language: str, tmp_path: Path) -> None:
    document(toolchains.CLIENTS / language / "include", tmp_path)

    assert (tmp_path / "html" / "index.html").exists()


def test_member_without_a_comment_is_refused(tmp_path: Path) -> None:
    text = "/** @file */\n/** A bot. */\nstruct bot {\n  int size;\n};\nint run(void);\n"
    (tmp_path / "bot.h").write_text(text, "utf-8")

    with pytest.raises(AssertionError, match=r"Member size .* is not documented"):
        document(tmp_path / "bot.h", tmp_path)
