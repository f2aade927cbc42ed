"""What every run begins with: the vectors of the protocol, and what earlier runs have found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.folders import VECTORS_OF_PROTOCOL

CORPUS = Path(__file__).parent / "corpus"
LENGTH_SIZE = 4
OPENINGS = bytes([0, 1, 3, 4, 5, 6, 7, 12, 14])
"""The first bytes of an input for a connection: each end, in each state."""


def frames() -> Iterator[bytes]:
    """All frames of the vectors, good and bad."""
    for path in sorted(VECTORS_OF_PROTOCOL.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        yield from (bytes.fromhex(found) for found in _hex(document))


def _hex(document: Any) -> Iterator[str]:
    """Every value of a key ``hex``, and every piece of a byte stream."""
    if isinstance(document, list):
        for item in document:
            yield from _hex(item)
    elif isinstance(document, dict):
        for key, value in document.items():
            if key == "hex":
                yield value
            elif key == "chunks":
                yield "".join(value)
            else:
                yield from _hex(value)


def found(target: str) -> list[bytes]:
    """The inputs that earlier runs have found for a target."""
    return [path.read_bytes() for path in sorted((CORPUS / target).iterdir())]


def codec() -> list[bytes]:
    """Payloads of frames."""
    return [*(frame[LENGTH_SIZE:] for frame in frames()), *found("codec")]


def connection() -> list[bytes]:
    """Frames behind the two bytes that choose the end and the cutting."""
    cut = bytes([7])
    every = list(frames())
    joined = [bytes([opening]) + cut + frame for frame in every for opening in OPENINGS]
    return [*joined, *found("connection")]


TARGETS = {"codec": codec, "connection": connection}
