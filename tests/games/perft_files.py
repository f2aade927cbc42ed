"""The counted positions of ``perft/``, one file a game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "perft"


class PerftCount(NamedTuple):
    """How many sequences of ``depth`` steps there are from a position."""

    position: str
    state: dict[str, Any]
    depth: int
    sequences: int


def perft_counts(game: str) -> Iterator[PerftCount]:
    """All counts of a game's file, in its order."""
    position, state = "", {}
    for line in (FOLDER / f"{game}.perft").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "id":
            position = rest
        elif word == "state":
            state = json.loads(rest)
        elif word == "perft":
            depth, count = map(int, rest.split())
            yield PerftCount(position, state, depth, count)
