"""A script that cannot be started by its first line is told from others, with the remedy."""

from pathlib import Path

import pytest

from polynya_hosting.bots.shebang import wrong_shebang


@pytest.mark.parametrize(
    ("first", "sentence"),
    [
        (
            b"#!/usr/bin/env python3\r\n",
            "the first line of {file} ends with a carriage return, as Windows writes it: save the "
            "file with Unix line ends",
        ),
        (
            b"#!/opt/none/python\n",
            "{file} begins with #!/opt/none/python, and there is no program /opt/none/python",
        ),
        (
            b"#!/usr/bin/env -S NAME=1 no-such-runtime --fast\n",
            "{file} begins with #!/usr/bin/env -S NAME=1 no-such-runtime --fast, and there is no "
            "program no-such-runtime",
        ),
    ],
)
def test_a_wrong_first_line_is_named(first: bytes, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "bot"
    file.write_bytes(first + b"print()\n")
    assert wrong_shebang(file) == sentence.format(file=file)


@pytest.mark.parametrize(
    "content",
    [b"", b"#!/bin/sh\n", b"#! /usr/bin/env sh\n", b"\x7fELF\r\n", b"#!\n", b"print()\r\n"],
)
def test_other_files_have_no_wrong_first_line(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "bot"
    file.write_bytes(content)
    assert wrong_shebang(file) is None


def test_a_folder_and_a_missing_file_have_no_first_line(tmp_path: Path) -> None:
    assert wrong_shebang(tmp_path) is None
    assert wrong_shebang(tmp_path / "missing") is None
