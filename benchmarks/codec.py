"""The codec: encoding and decoding the messages of a turn, beside msgpack without any types."""

from __future__ import annotations

import timeit
from collections.abc import Callable

import msgpack  # type: ignore[import-untyped]

from benchmarks.figures import Figure
from benchmarks.turns import MOVE, TURN
from polynya_protocol.codec import decode_from_client, encode

NUMBER = 20_000


def _microseconds(work: Callable[[], object]) -> float:
    return min(timeit.repeat(work, number=NUMBER, repeat=7)) / NUMBER * 1e6


def measure() -> list[Figure]:
    """A `turn` sent and a `move` received: strictly checked, and merely packed and unpacked."""
    payload = encode(MOVE)[4:]
    plain_turn = {"type": "turn", "match": TURN.match, "seq": TURN.seq, "turn": TURN.turn}
    ours = _microseconds(lambda: encode(TURN)) + _microseconds(lambda: decode_from_client(payload))
    plain = _microseconds(lambda: msgpack.packb(plain_turn)) + _microseconds(
        lambda: msgpack.unpackb(payload)
    )
    return [
        Figure("codec", "µs for a turn and a move, strictly checked", ours),
        Figure("codec", "µs for the same by msgpack, unchecked", plain),
    ]
