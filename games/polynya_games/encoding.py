"""Positions and steps as numbers, for training bots: pure values, no array library.

An encoding reads the documents that bots get (``State.to_json``, or the seat's ``view`` in a game
with hidden parts), so what was trained with ``polynya_games.rl`` can play from the ``state`` in its
turns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polynya_games.steps import Step

Read = Callable[[Mapping[str, Any], int], Iterable[int]]
"""The numbers of a part, from a state document and the seat that looks at it."""


MOST_REMAINING = 2**31 - 1
"""The greatest number of rounds or turns that a part shows as remaining."""


@dataclass(frozen=True)
class Part:
    """A stretch of the observation.

    Attributes:
        name: what it shows.
        size: how many numbers it has.
        high: the greatest of them; the least is 0.
        read: gives them.
    """

    name: str
    size: int
    high: int
    read: Read


@dataclass(frozen=True)
class Encoding:
    """How the positions and steps of a game become numbers, for one set-up.

    Attributes:
        steps: every step that can be legal in such a match; a step's index is its action.
        parts: what an observation consists of, in this order.
    """

    steps: tuple[Step, ...]
    parts: tuple[Part, ...]

    @functools.cached_property
    def actions(self) -> Mapping[Step, int]:
        """The action of each step."""
        return {step: action for action, step in enumerate(self.steps)}

    @functools.cached_property
    def highs(self) -> tuple[int, ...]:
        """The greatest value of each number of an observation; the least is 0."""
        return tuple([part.high for part in self.parts for _ in range(part.size)])

    def observe(self, document: Mapping[str, Any], seat: int) -> list[int]:
        """The numbers of all parts, one after the other.

        Args:
            document: a state as bots see it.
            seat: whose view it is; seat numbers and colours are not turned round for it.
        """
        return [number for part in self.parts for number in part.read(document, seat)]

    def mask(self, legal: Iterable[Sequence[str | int]]) -> list[int]:
        """Per action 1 if its step is among ``legal``, else 0.

        Args:
            legal: steps, as tuples or, as bots get them, as lists.
        """
        mask = [0] * len(self.steps)
        for step in legal:
            mask[self.actions[tuple(step)]] = 1
        return mask


def seat_parts(players: int) -> tuple[Part, Part]:
    """The first parts of every game: the observing seat, and the seat to move."""
    return (
        Part("seat", players, 1, lambda _, seat: one_hot(seat, players)),
        Part("to_move", players, 1, lambda document, _: one_hot(document["to_move"], players)),
    )


def listed(key: str, size: int, high: int) -> Part:
    """A part that is a list in the document, of numbers or of lists of numbers."""
    return Part(key, size, high, lambda document, _: flat(document[key]))


def chosen(key: str, values: Sequence[object]) -> Part:
    """A part that shows with a single 1 which of ``values`` the document has; or none of them."""

    def read(document: Mapping[str, Any], _: int) -> list[int]:
        return [int(document[key] == value) for value in values]

    return Part(key, len(values), 1, read)


def remaining(name: str, limit: str, present: str, most: int) -> Part:
    """A part with one number: how far the document's ``present`` is below its ``limit``.

    Args:
        name: of the part.
        limit: the key of the limit.
        present: the key of the things that are counted up to it.
        most: the limit of these matches; a greater one than ``MOST_REMAINING`` is shown as that.
    """
    high = min(most, MOST_REMAINING)

    def read(document: Mapping[str, Any], _: int) -> list[int]:
        return [min(document[limit] - document[present], high)]

    return Part(name, 1, high, read)


def forfeits(players: int) -> Part:
    """A part that marks the seats that have forfeited, alone or together."""

    def read(document: Mapping[str, Any], _: int) -> list[int]:
        return marked(flat(document["forfeited"]), players)

    return Part("forfeited", players, 1, read)


def flat(value: Any) -> list[int]:
    """All numbers in lists of lists, in their order; booleans become 0 and 1."""
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in flat(item)]
    return [int(value)]


def one_hot(index: int | None, size: int) -> list[int]:
    """``size`` zeros with a 1 at ``index``, without one where that is None."""
    return marked([] if index is None else [index], size)


def marked(indices: Iterable[int], size: int) -> list[int]:
    """``size`` zeros with a 1 at each of ``indices``."""
    numbers = [0] * size
    for index in indices:
        numbers[index] = 1
    return numbers
