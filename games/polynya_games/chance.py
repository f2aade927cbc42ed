"""Chance that no player can foresee or work out: SHA-256 of a secret deal and a counter.

A game whose players do not see everything (``Game.secret_seed``) draws from it. The value number
``n``, from 0, is the first 8 bytes of ``SHA-256(deal + n as 8 bytes)``; both integers are written
and read with their most significant byte first. The deal is 32 bytes. A player who knows all
values so far still knows nothing about the next one, unlike with
:class:`~polynya_games.randomness.SplitMix64`, which can be run backwards: that one is for set-ups
that everybody sees.

The first three values of a deal of 32 zero bytes::

    2c34ce1df23b838c 08e00266fff0aacc 975674ca07642178

A position keeps the deal and how many values are used up. Later values follow from
these two, so the same set-up and steps always give the same match.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

from polynya_games.randomness import SplitMix64

DEAL_BYTES = 32
NO_DEAL = bytes(DEAL_BYTES)
"""The deal of 32 zero bytes, which everybody knows: for examples and tests."""

MOST_DRAWN = 2**63
"""The most values of a deal that a position may say are used up."""

_RANGE = 2**64
T = TypeVar("T")


class Chance:
    """The values of a deal, one after the other.

    Args:
        deal: 32 bytes.
        drawn: how many values are used up already.

    Attributes:
        drawn: how many values are used up by now; a position keeps it beside its deal.
    """

    __slots__ = ("_deal", "drawn")

    def __init__(self, deal: bytes, drawn: int = 0) -> None:
        self._deal = deal
        self.drawn = drawn

    def next(self) -> int:
        """The next value, 0 to 2**64 - 1."""
        digest = hashlib.sha256(self._deal + self.drawn.to_bytes(8, "big")).digest()
        self.drawn += 1
        return int.from_bytes(digest[:8], "big")

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``, each equally likely.

        It is the remainder of the next value; the values from the greatest multiple of ``bound``
        that is at most 2**64 on are passed over, and count as used up.

        Args:
            bound: 1 to 2**64.
        """
        while (value := self.next()) >= _RANGE - _RANGE % bound:
            pass
        return value % bound

    def shuffle(self, items: list[T]) -> None:
        """Put ``items`` into a random order, in place, each order equally likely.

        From the last item to the second, each changes places with ``items[below(place + 1)]``
        (Fisher and Yates); ``n`` items take ``n - 1`` values, but for those passed over.
        """
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]


def deal_of_seed(seed: int) -> bytes:
    """The deal that a seed named by hand stands for: 24 zero bytes and the seed's 8 bytes.

    Everybody who knows the seed can foresee what follows: for tests, examples and training.

    Args:
        seed: 0 to 2**64 - 1.
    """
    return seed.to_bytes(DEAL_BYTES, "big")


def guessed_deal(generator: SplitMix64) -> bytes:
    """A random deal for ``State.guess``, from the next four numbers of a generator."""
    return b"".join(generator.next().to_bytes(8, "big") for _ in range(DEAL_BYTES // 8))


def deal_from_hex(text: object) -> bytes | None:
    """The deal of 64 lower-case hexadecimal digits, None if ``text`` is anything else."""
    if not isinstance(text, str) or len(text) != 2 * DEAL_BYTES:
        return None
    try:
        deal = bytes.fromhex(text)
    except ValueError:
        return None
    return deal if deal.hex() == text else None
