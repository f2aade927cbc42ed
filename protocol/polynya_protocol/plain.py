"""The values that any frame may hold: bounds on nesting, sizes and kinds.

Source: wire contract, "Transport and framing", "Details that were asked about".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NewType, cast

import msgpack  # type: ignore[import-untyped]
import msgspec

from polynya_common.reasons import Reason
from polynya_protocol.errors import malformed, printable
from polynya_protocol.framing import MAX_FRAME_FROM_SERVER

MAX_DEPTH = 16
"""Levels of maps and arrays; the frame's own map is the first."""

MAX_ITEMS_FROM_CLIENT = 4096
"""Entries in any one map or array of a frame from a client."""

MAX_ITEMS_FROM_SERVER = MAX_FRAME_FROM_SERVER
"""Entries in any one map or array of a frame from a server: no bound but the frame's."""


def plain_decoder(max_items: int, max_depth: int) -> Callable[[bytes], dict[str, Any]]:
    """Decodes a frame as plain data, and refuses what no frame may hold but duplicate keys.

    To make one takes a tenth of a second.
    """
    return msgspec.msgpack.Decoder(_plain_map(max_items, max_depth)).decode


def _plain_map(max_items: int, max_depth: int) -> Any:
    """The type of a frame's map: nesting, kinds of values and sizes are bounded by the type.

    Each level is a type of its own name, because those are hashed by name: the hash of a nested
    one visits the level below twice, 2**15 times in all, and took seconds of every start.
    """
    size = msgspec.Meta(max_length=max_items)
    scalar = None | bool | int | float | str
    value: Any = scalar
    for level in range(max_depth - 1):
        either = scalar | Annotated[list[value], size] | Annotated[dict[str, value], size]
        value = cast("Any", NewType)(f"Level{level}", either)
    return Annotated[dict[str, value], size]


def refuse_duplicates(payload: bytes) -> None:
    """Refuse a frame in which a map has the same key twice.

    What stands under the first of two such keys is nothing that a decoder has seen, so it may be
    anything.

    Raises:
        RemoteProtocolError: ``malformed``; it names the key.
    """
    try:
        msgpack.unpackb(payload, object_pairs_hook=_refuse_twice)
    except (ValueError, msgpack.UnpackException):
        raise malformed(Reason.of("key_twice_unreadable")) from None


def _refuse_twice(pairs: Sequence[tuple[str, Any]]) -> None:
    if len(pairs) > 1 and len(dict(pairs)) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise malformed(Reason.of("key_twice", key=printable(twice, 40)))


def long_move(payload: bytes, max_depth: int) -> dict[str, Any] | None:
    """A frame with nothing wrong but more entries than allowed, if it is a `move`: plain data.

    The form of a `move` is the referee's to judge, and never ends a connection.
    """
    try:
        plain = msgspec.msgpack.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    is_move = isinstance(plain, dict) and plain.get("type") == "move"
    return plain if is_move and _is_strict(plain, max_depth) else None


def _is_strict(value: object, levels: int) -> bool:
    """Whether there is no bin, no ext, no other key than str, and not too many levels."""
    if isinstance(value, dict):
        keys_are_text = all(isinstance(key, str) for key in value)
        return keys_are_text and _is_strict(list(value.values()), levels)
    if isinstance(value, list):
        return levels > 0 and all(_is_strict(item, levels - 1) for item in value)
    return value is None or isinstance(value, bool | int | float | str)
