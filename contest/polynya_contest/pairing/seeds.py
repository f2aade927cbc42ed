"""The seeds of matches and of the bots' own dice, derived from the tournament's."""

from __future__ import annotations

import hashlib


def match_seed(tournament_seed: int, block: str) -> int:
    """The seed of all matches of a block, 0 to 2**64 - 1; bots cannot guess it.

    It is the first 8 bytes, big-endian, of the SHA-256 of the ASCII text
    ``polynya match seed 1``, the tournament's seed in decimal and the block's key, joined by
    newlines. All seat rotations of a block share it, so they are played from the same set-up.
    """
    return int.from_bytes(_digest("polynya match seed 1", tournament_seed, block)[:8], "big")


def bot_seed(tournament_seed: int, name: str, block: str) -> int:
    """The ``POLYNYA_SEED`` of a hosted bot, 0 to 2**31 - 1: an int in any language.

    It is the first 4 bytes, big-endian, without the highest bit, of the SHA-256 of the ASCII text
    ``polynya bot seed 2``, the tournament's seed in decimal, the bot's name and the key of the
    block that it is started for, joined by newlines.
    """
    first = int.from_bytes(
        _digest("polynya bot seed 2", tournament_seed, f"{name}\n{block}")[:4], "big"
    )
    return first & 0x7FFF_FFFF


def _digest(purpose: str, tournament_seed: int, key: str) -> bytes:
    return hashlib.sha256(f"{purpose}\n{tournament_seed}\n{key}".encode("ascii")).digest()
