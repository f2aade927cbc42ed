"""Encodes messages in unusual ways that the protocol allows: an unkind peer may use them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec

from polynya_protocol.framing import frame
from polynya_protocol.messages import Message

Document = Mapping[str, Any]
Writing = Callable[[Document], bytes]
"""Encodes a document as a payload."""

LARGEST = 2**32 - 1
_OF_THE_GAME = frozenset({"state", "options", "steps", "legal"})
"""Keys whose values a game's rules define, not this protocol."""
_OPTIONAL = {
    "welcome": ("token",),
    "turn": ("state", "legal"),
    "match_over": ("detail", "replay", "ratings"),
    "error": ("match", "turn", "supported"),
    "goodbye": ("reason",),
}


def as_document(message: Message | Document) -> dict[str, Any]:
    """Convert a message to plain values."""
    if isinstance(message, Message):
        document: dict[str, Any] = msgspec.to_builtins(message)
        return document
    return dict(message)


def framed(payload: bytes) -> bytes:
    """Prefix a payload with its length."""
    return frame(payload, LARGEST)


def plain(document: Document) -> bytes:
    """Encode in the usual order and the shortest form."""
    return _packed(document)


def _packed(value: Any) -> bytes:
    return bytes(msgpack.packb(value))


def with_unknown_keys(document: Document) -> bytes:
    """Encode with keys that no version knows, also in nested maps."""
    return plain(_with_more(document))


def _with_more(value: Any) -> Any:
    if isinstance(value, Mapping):
        more = {"x_unknown": {"of": ["a", "later", "version"]}, "x_nil": None}
        known = {k: v if k in _OF_THE_GAME else _with_more(v) for k, v in value.items()}
        return {**more, **known}
    if isinstance(value, list):
        return [_with_more(item) for item in value]
    return value


def padded(document: Document, size: int) -> bytes:
    """Pad to a payload of exactly ``size`` bytes with a long str under an unknown key."""
    pairs = b"".join(_packed(key) + _packed(value) for key, value in document.items())
    head = b"\xde" + struct.pack(">H", len(document) + 1) + pairs + _packed("padding") + b"\xdb"
    room = size - len(head) - 4
    return head + struct.pack(">I", room) + b" " * room


def roundabout(document: Document) -> bytes:
    """Encode with reversed keys, nil for each absent key, and the longest form of every value."""
    absent = dict.fromkeys(_OPTIONAL.get(document["type"], ()))
    return _longest({**absent, **document})


def _longest(value: Any) -> bytes:
    if isinstance(value, str):
        text = value.encode()
        return b"\xdb" + struct.pack(">I", len(text)) + text
    if isinstance(value, Mapping):
        pairs = [_longest(key) + _longest(value[key]) for key in reversed([*value])]
        return b"\xdf" + struct.pack(">I", len(pairs)) + b"".join(pairs)
    if isinstance(value, list | tuple):
        items = [_longest(item) for item in value]
        return b"\xdd" + struct.pack(">I", len(items)) + b"".join(items)
    if type(value) is int:
        return struct.pack(">Bq", 0xD3, value) if value < 2**63 else struct.pack(">BQ", 0xCF, value)
    return _packed(value)
