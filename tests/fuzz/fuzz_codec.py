"""Any bytes as one frame: refused by a verdict of the contract, or a message that says the same."""

from __future__ import annotations

from typing import Any, get_args

import msgpack  # type: ignore[import-untyped]

from polynya_protocol import RemoteProtocolError, decode_from_client, decode_from_server, encode
from polynya_protocol.framing import LENGTH_SIZE
from polynya_protocol.messages import ErrorCode

CODES = frozenset(get_args(ErrorCode))
MAX_DEPTH = 16
LONGEST_SENTENCE = 1000


def target(data: bytes) -> None:
    """Fail if either side's decoder does with this payload what it should not."""
    for decode in (decode_from_client, decode_from_server):
        try:
            message = decode(data)
        except RemoteProtocolError as error:
            check_verdict(error)
            continue
        check_form(data)
        again = encode(message)
        assert encode(decode(again[LENGTH_SIZE:])) == again


def check_verdict(error: RemoteProtocolError) -> None:
    """A verdict is one of the contract's words and a sentence fit for a terminal."""
    assert error.code in CODES
    assert 0 < len(error.message) <= LONGEST_SENTENCE
    assert error.message.isprintable()


def check_form(payload: bytes) -> None:
    """An accepted frame is what the contract allows, as another msgpack package reads it."""
    value = msgpack.unpackb(
        payload, object_pairs_hook=Pairs, ext_hook=refuse_ext, strict_map_key=False
    )
    assert isinstance(value, Pairs)
    check_value(value, 1)


class Pairs(list[Any]):
    """A map as its pairs, so that none is lost."""


def refuse_ext(code: int, data: bytes) -> object:
    """An ext was accepted."""
    raise AssertionError(f"ext {code} of {len(data)} bytes")


def check_value(value: object, depth: int) -> None:
    """No bin, no key that is no str or appears twice, no more levels than there may be."""
    assert not isinstance(value, bytes)
    if isinstance(value, Pairs):
        keys = [key for key, _ in value]
        assert all(isinstance(key, str) for key in keys)
        assert len(set(keys)) == len(keys)
        check_items([item for _, item in value], depth)
    elif isinstance(value, list):
        check_items(value, depth)


def check_items(items: list[Any], depth: int) -> None:
    """What a map or an array holds, which itself is so deep."""
    assert depth <= MAX_DEPTH
    for item in items:
        check_value(item, depth + 1)
