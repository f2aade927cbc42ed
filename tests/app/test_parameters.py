"""Arguments are read strictly, and what is wrong with them is said."""

import re
from pathlib import Path
from typing import Any

import pytest

from polynya_app.flags.flag_groups import Limits
from polynya_app.flags.parameters import read_options
from polynya_common.errors import ConfigurationError
from polynya_protocol.messages import Clock

DEFAULT = Clock(move_ms=100)


@pytest.mark.parametrize(
    ("word", "option"),
    [
        ("limit=60", {"limit": 60}),
        ("neutrals=true", {"neutrals": True}),
        ("rows=[[3, 0], [4, 1]]", {"rows": [[3, 0], [4, 1]]}),
        ("setup=fixed", {"setup": "fixed"}),
        ('setup="60"', {"setup": "60"}),
        ("formula=a=b", {"formula": "a=b"}),
        ("empty=", {"empty": ""}),
        ("limit=NaN", {"limit": "NaN"}),
    ],
)
def test_a_value_is_json_or_else_text(word: str, option: dict[str, Any]) -> None:
    assert read_options([word]) == option


@pytest.mark.parametrize("words", [["limit"], ["=60"], [""], ["limit=1", "limit=2"]])
def test_other_words_are_no_options(words: list[str]) -> None:
    with pytest.raises(ConfigurationError):
        read_options(words)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"[[7, 1],\n [8, 0]]\n", [[7, 1], [8, 0]]),
        (b"\xef\xbb\xbf[1]", [1]),
        (b"even\n", "even"),
        (b'"@x"', "@x"),
    ],
)
def test_value_that_begins_with_an_at_sign_is_read_from_a_file(
    tmp_path: Path, content: bytes, value: Any
) -> None:
    (tmp_path / "value.json").write_bytes(content)
    assert read_options([f"rows=@{tmp_path}/value.json"]) == {"rows": value}


def test_quoted_at_sign_is_a_string() -> None:
    assert read_options(['name="@x"']) == {"name": "@x"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing", "missing' cannot be read: No such file or directory"),
        (".", "cannot be read: Is a directory"),
        ("latin", "latin' cannot be read: it is no text in UTF-8"),
        ("long", "long' is larger than 1000000 bytes"),
        ("nul\0", "cannot be read"),
    ],
)
def test_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")
    (tmp_path / "long").write_bytes(b"1" * 1_000_001)
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        read_options([f"rows=@{tmp_path}/{name}"])


def test_without_limits_the_clock_is_the_default() -> None:
    assert Limits().clock(DEFAULT) == DEFAULT


def test_any_limit_replaces_the_default() -> None:
    assert Limits(initial=5_000).clock(DEFAULT) == Clock(initial_ms=5_000)


@pytest.mark.parametrize("limits", [Limits(increment=100), Limits(initial=0), Limits(move=0)])
def test_a_clock_needs_time(limits: Limits) -> None:
    with pytest.raises(ConfigurationError):
        limits.clock(DEFAULT)
