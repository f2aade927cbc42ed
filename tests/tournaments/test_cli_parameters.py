"""Arguments are read strictly, and what is wrong with them is said."""

from typing import Any

import pytest

from polynya_protocol.messages import Clock
from polynya_tournaments.cli.limits import Limits
from polynya_tournaments.cli.parameters import read_options
from polynya_tournaments.errors import ConfigurationError

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


def test_without_limits_the_clock_is_the_default() -> None:
    assert Limits().clock(DEFAULT) == DEFAULT


def test_any_limit_replaces_the_default() -> None:
    assert Limits(initial=5_000).clock(DEFAULT) == Clock(initial_ms=5_000)


@pytest.mark.parametrize("limits", [Limits(increment=100), Limits(initial=0), Limits(move=0)])
def test_a_clock_needs_time(limits: Limits) -> None:
    with pytest.raises(ConfigurationError):
        limits.clock(DEFAULT)
