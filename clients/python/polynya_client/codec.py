"""Frames: a 4-byte big-endian length, then exactly one msgpack map with string keys.

The length is checked before anything is unpacked, a frame is unpacked once and as a whole, and an
error ends the connection: a streaming unpacker would read rejected bytes again.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import msgpack  # type: ignore[import-untyped]  # the package carries no annotations

from polynya_client.errors import BadFrame

Message = dict[str, Any]

DEFAULT_MAX_FRAME = 64 * 1024
"""The longest frame that a server takes until its ``welcome`` says otherwise, in bytes."""
SERVER_MAX_FRAME = 1024 * 1024
"""The largest frame that servers send, in bytes."""
MAX_NESTING = 16
"""Maps and arrays inside each other, the message itself included."""

_LENGTH = struct.Struct(">I")
_SCALARS = frozenset({str, int, float, bool, type(None)})


def encode(message: Mapping[str, Any], max_frame: int = DEFAULT_MAX_FRAME) -> bytes:
    """The frame of a message, its length in front.

    Raises:
        BadFrame: it is larger than ``max_frame`` bytes, or has a value that msgpack does not know.
    """
    payload = packed(message)
    _check_length(len(payload), max_frame)
    return _LENGTH.pack(len(payload)) + payload


def packed(value: Mapping[str, Any]) -> bytes:
    """A map as msgpack.

    Raises:
        BadFrame: it has a value that msgpack does not know.
    """
    try:
        return bytes(msgpack.packb(value))
    except (TypeError, ValueError, OverflowError) as error:
        raise BadFrame("malformed", f"this message cannot be sent: {error}") from error


def decode(payload: bytes) -> Message:
    """The message in a frame's payload (what follows the length).

    Raises:
        BadFrame: it is not exactly one map with string keys, none of them twice, without bin and
            ext, at most 16 levels deep, with a str under ``type``.
    """
    try:
        message = msgpack.unpackb(
            payload, object_pairs_hook=_distinct, max_bin_len=0, max_ext_len=0
        )
    except (ValueError, msgpack.UnpackException) as error:
        raise BadFrame("malformed", f"not one msgpack map: {error}") from error
    if type(message) is not dict:
        raise BadFrame("malformed", f"a frame holds a map, not a {type(message).__name__}")
    _check_values(message, MAX_NESTING)
    if type(message.get("type")) is not str:
        raise BadFrame("malformed", "the message has no type")
    return message


class FrameBuffer:
    """Bytes as they arrive in, payloads of whole frames out."""

    def __init__(self, max_frame: int = SERVER_MAX_FRAME) -> None:
        self._max_frame = max_frame
        self._bytes = bytearray()

    def add(self, data: bytes) -> None:
        """Append what has arrived."""
        self._bytes += data

    def take(self) -> bytes | None:
        """The payload of the next frame, None while it is not all there.

        Raises:
            BadFrame: the length is 0 or above the bound; nothing can be read after that.
        """
        if len(self._bytes) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._bytes)
        _check_length(length, self._max_frame)
        end = _LENGTH.size + length
        if len(self._bytes) < end:
            return None
        payload = bytes(self._bytes[_LENGTH.size : end])
        del self._bytes[:end]
        return payload


def _check_length(length: int, max_frame: int) -> None:
    if length == 0:
        raise BadFrame("malformed", "a frame has at least one byte")
    if length > max_frame:
        raise BadFrame("too_large", f"a frame of {length} bytes, at most {max_frame} are allowed")


def _distinct(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """A map of these pairs; msgpack alone would keep the last of several equal keys."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in a map")
    return found


def _check_values(container: Any, levels: int) -> None:
    """Refuse what msgpack can carry and the protocol cannot; recursion is bounded by ``levels``."""
    if levels == 0:
        raise BadFrame("malformed", f"maps and arrays are nested deeper than {MAX_NESTING}")
    children = container
    if type(container) is dict:
        if any(type(key) is not str for key in container):
            raise BadFrame("malformed", "a key is not a string")
        children = container.values()
    for child in children:
        kind = type(child)
        if kind is list or kind is dict:
            _check_values(child, levels - 1)
        elif kind not in _SCALARS:
            raise BadFrame("malformed", "bin and ext are not used in this protocol")
