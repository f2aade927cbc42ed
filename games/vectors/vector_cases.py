"""The parts of a game's list of special cases, for ``make_vectors.py``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Document = dict[str, Any]
"""A state as in the game's rules."""


@dataclass(frozen=True)
class SetUp:
    """A kind of match to search.

    Attributes:
        about: what it is, for people.
        players: the number of seats.
        options: set-up options by name.
        plain: about how many positions to take of it beside the special cases.
        start: the position in which these matches begin, None for the set-up of the seed.
    """

    about: str
    players: int
    options: Mapping[str, Any]
    plain: int
    start: Document | None = None


@dataclass(frozen=True)
class Moment:
    """A position and how it came about.

    Attributes:
        before: the document of the position before, None at the beginning.
        step: the step that led here, ``["forfeit", seat]`` for a forfeit, None at the beginning.
        after: the document of the position.
        legal: its legal steps.
        turn_over: whether the next step begins a turn.
    """

    before: Document | None
    step: list[Any] | None
    after: Document
    legal: list[list[Any]]
    turn_over: bool


Case = tuple[str, Callable[[Moment], object]]
"""The name of the case, for people, and the test for a moment."""


class Cases(Protocol):
    """The content of a module ``cases_<game>``."""

    SET_UPS: Sequence[SetUp]
    CASES: Sequence[Case]

    def weight(self, step: list[Any], document: Document) -> int:
        """How often a legal step is chosen in relation to the others, at least 1."""
