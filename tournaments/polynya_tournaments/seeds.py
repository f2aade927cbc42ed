"""The seed of every match, derived from the tournament's: bots cannot guess it."""

from __future__ import annotations

import hashlib


def match_seed(tournament_seed: int, block: str) -> int:
    """The seed of all matches of a block, 0 to 2**64 - 1.

    It is the first 8 bytes, big-endian, of the SHA-256 of the ASCII text
    ``polynya match seed 1``, the tournament's seed in decimal and the block's key, joined by
    newlines. All seat rotations of a block share it, so they are played from the same set-up.
    """
    text = f"polynya match seed 1\n{tournament_seed}\n{block}"
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:8], "big")
