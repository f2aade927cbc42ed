"""The secret of a contest: what it is committed to, and the seeds that follow from it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_bytes
from typing import Any, Self

import msgspec

SECRET_BYTES = 32
_SEED_BYTES = 8
MOST_BEACON = 1_000

SeedOf = Callable[[str], int]
"""Gives the seed of a block's matches, by its key."""


@dataclass(frozen=True, slots=True)
class Secret:
    """32 bytes that only the host may know until the contest is over; all chance follows from them.

    Attributes:
        value: the bytes. 24 zero bytes and a seed of 8 bytes if a host has named a seed: then
            everybody can foresee what follows.
        beacon: a public value that came after the commitment, as the host entered it; None
            without one.
    """

    value: bytes
    beacon: str | None = None

    @classmethod
    def new(cls) -> Self:
        """A random one."""
        return cls(token_bytes(SECRET_BYTES))

    @classmethod
    def of_seed(cls, seed: int) -> Self:
        """The secret of a seed that a host has named, 0 to 2**64 - 1."""
        return cls(seed.to_bytes(SECRET_BYTES, "big"))

    @classmethod
    def from_hex(cls, text: str, beacon: str | None = None) -> Self:
        """Read it as it is recorded.

        Raises:
            ValueError: it is not 32 bytes in hexadecimal.
        """
        value = bytes.fromhex(text)
        if len(value) != SECRET_BYTES or value.hex() != text:
            raise ValueError("a secret is 32 bytes, written as 64 hexadecimal digits")
        return cls(value, beacon)

    @property
    def hex(self) -> str:
        """As it is recorded: 64 hexadecimal digits."""
        return self.value.hex()

    @property
    def named_seed(self) -> int | None:
        """The seed that a host has named; None for a random secret."""
        zeros = SECRET_BYTES - _SEED_BYTES
        if self.value[:zeros] != bytes(zeros):
            return None
        return int.from_bytes(self.value[zeros:], "big")

    def commitment(self, content: Any) -> str:
        """The hash that is published before the first match, in hexadecimal.

        It is the SHA-256 of ``polynya-secret-1``, the secret in hexadecimal, and ``content`` as
        JSON in UTF-8 with sorted keys and no white space, joined by line feeds.
        """
        text = f"polynya-secret-1\n{self.hex}\n{canonical(content)}"
        return hashlib.sha256(text.encode()).hexdigest()

    def match_seed(self, key: str) -> int:
        """The seed of the set-up of matches, 0 to 2**64 - 1: the first 8 bytes, big-endian.

        Args:
            key: of their block, so that all its matches have the same set-up; on a ladder the
                number of the match.
        """
        return int.from_bytes(self._derived("seed", key)[:_SEED_BYTES], "big")

    def deal(self, number: int, attempt: int) -> str:
        """The deal of a match of a game with hidden chance: 32 bytes in hexadecimal.

        Args:
            number: the match's, in its schedule or of all ladders.
            attempt: 1, or more for a match that is played again: its deal is still secret.
        """
        return self.derived(deal_text(number, attempt))

    def block_deal(self, key: str) -> str:
        """The deal of all matches of a block with duplicate deals, by the block's key."""
        return self.derived(block_deal_text(key))

    def derived(self, text: str) -> str:
        """The HMAC-SHA256 of a purpose and ids that line feeds join, in hexadecimal."""
        return _hmac(self._key, text).hex()

    def bot_seed(self, name: str, number: int | None = None) -> int:
        """The ``POLYNYA_SEED`` of a bot, 0 to 2**31 - 1: an int in any language.

        It is the first 4 bytes, big-endian, without the highest bit.

        Args:
            name: the bot's.
            number: of the match that its process is started for; None if it plays many.
        """
        derived = self._derived("bot", name, "" if number is None else str(number))
        return int.from_bytes(derived[:4], "big") & 0x7FFF_FFFF

    def lots(self, round_number: int) -> bytes:
        """The 32 bytes that decide between equals in a round."""
        return self._derived("lots", str(round_number))

    def _derived(self, purpose: str, *ids: str) -> bytes:
        """HMAC-SHA256 of the purpose and the ids, joined by line feeds."""
        return _hmac(self._key, "\n".join((purpose, *ids)))

    @property
    def _key(self) -> bytes:
        return self.value if self.beacon is None else _hmac(self.value, f"beacon\n{self.beacon}")


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def deal_text(number: int, attempt: int) -> str:
    """The text that a match's own deal is derived from; see :meth:`Secret.deal`."""
    return f"deal\n{number}\n{attempt}"


def block_deal_text(key: str) -> str:
    """The text that a block's duplicate deal is derived from."""
    return f"deal\n{key}"


def canonical(content: Any) -> str:
    """The content of a commitment as JSON with sorted keys and no white space."""
    return msgspec.json.encode(content, order="sorted").decode()


def tournament_content(description: Any, field: list[str]) -> dict[str, Any]:
    """The content of the commitment to a tournament's secret.

    Args:
        description: what determines its matches, as recorded.
        field: the names of the bots that it begins with, in the order of the seeding.
    """
    return {"description": description, "field": field}


def ladder_content(month: str) -> dict[str, Any]:
    """The content of the commitment to a month's secret of ladders, like ``2026-12`` (UTC)."""
    return {"month": month}
