"""What msgspec says of wrong documents: these tests fail if a new version words it otherwise."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
import pytest

from polynya_protocol.validation_errors import Problem, problem_of


class Inner(msgspec.Struct):
    """Values of each kind that has a sentence of its own."""

    number: int = 0
    counts: dict[str, int] = {}
    moment: datetime | None = None
    word: Literal["a", "b"] = "a"
    numbers: list[Annotated[int, msgspec.Meta(ge=1)]] = []


class Document(msgspec.Struct):
    """A document with a table."""

    inner: Inner


CASES: list[tuple[Any, Problem]] = [
    (
        [],
        Problem("Expected `object`, got `array`", expected=("object",), given="array"),
    ),
    ({}, Problem("Object missing required field `inner`", missing="inner")),
    (
        {"inner": {"number": "1"}},
        Problem("Expected `int`, got `str`", "inner.number", ("int",), "str"),
    ),
    (
        {"inner": {"numbers": [1, "2"]}},
        Problem("Expected `int`, got `str`", "inner.numbers[1]", ("int",), "str"),
    ),
    ({"inner": {"numbers": [0]}}, Problem("Expected `int` >= 1", "inner.numbers[0]")),
    (
        {"inner": {"counts": {1: 1}}},
        Problem("Expected `str`, got `int`", "inner.counts", ("str",), "int"),
    ),
    (
        {"inner": {"moment": 1}},
        Problem(
            "Expected `datetime | null`, got `int`", "inner.moment", ("datetime", "null"), "int"
        ),
    ),
    (
        {"inner": {"moment": "soon"}},
        Problem("Invalid RFC3339 encoded datetime", "inner.moment", ("datetime",), "str"),
    ),
    (
        {"inner": {"word": "c - at `$.x`"}},
        Problem("Invalid enum value 'c - at `$.x`'", "inner.word", no_choice="'c - at `$.x`'"),
    ),
]


@pytest.mark.parametrize(("document", "problem"), CASES)
def test_problem_of_a_document_is_read_from_msgspecs_sentence(
    document: Any, problem: Problem
) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(document, Document)
    assert problem_of(raised.value) == problem


@pytest.mark.parametrize(
    ("payload", "given"), [(b"\xc4\x01a", "bytes"), (b"\xd4\x01a", "ext"), (b"\x90", "array")]
)
def test_kind_of_bytes_that_no_frame_holds_is_named(payload: bytes, given: str) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.msgpack.decode(payload, type=bool | int | float | str | None)
    found = problem_of(raised.value)
    assert (found.expected, found.given) == (("bool", "int", "float", "str", "null"), given)


def test_damaged_bytes_have_a_sentence_only() -> None:
    with pytest.raises(msgspec.DecodeError) as raised:
        msgspec.msgpack.decode(b"\x81\xa1a")
    assert problem_of(raised.value) == Problem("Input data was truncated")
