"""Writes the vector files: ``python protocol/vectors/generate.py [FOLDER]``.

The bytes come from the msgpack package and from the cases beside this script, not from the codec
that the tests hold against them.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bad_frames
import cases
import msgpack  # type: ignore[import-untyped]
import remarks
from bad_frames import Bad, nested

UNKNOWN_KEY: cases.Value = {"x_unknown": {"a": [1, None, 0.5, True, {}]}}


def framed(payload: bytes) -> str:
    """The frame, its length included, in hex."""
    return (len(payload).to_bytes(4, "big") + payload).hex()


def widest(value: Any) -> bytes:
    """The value in the longest forms that msgpack has for it."""
    match value:
        case None | bool() | float():
            return bytes(msgpack.packb(value))
        case int():
            return (b"\xd3" if value < 0 else b"\xcf") + (value % 2**64).to_bytes(8, "big")
        case str():
            return b"\xdb" + len(value.encode()).to_bytes(4, "big") + value.encode()
        case list():
            return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(widest, value))
        case dict():
            parts = (widest(key) + widest(each) for key, each in value.items())
            return b"\xdf" + len(value).to_bytes(4, "big") + b"".join(parts)
    raise TypeError(f"{value!r} has no form in JSON")


def also(value: cases.Value) -> dict[str, bytes]:
    """Other payloads that say the same."""
    backwards = dict(reversed(value.items()))
    absent = dict.fromkeys(cases.OPTIONAL.get(value["type"], []))
    forms = {
        "keys in another order": msgpack.packb(backwards),
        "the longest forms of msgpack": widest(value),
        "keys in another order, the longest forms": widest(backwards),
        "nil for what is absent": msgpack.packb({**absent, **value}),
        "an unknown key": msgpack.packb(value | UNKNOWN_KEY),
        "an unknown key with 16 levels in all": msgpack.packb(value | {"x": nested(15)}),
        "an unknown key with the widest numbers": msgpack.packb(
            value | {"x": [2**64 - 1, -(2**63), 1e300, float("inf"), float("nan")]}
        ),
    }
    if not absent:
        del forms["nil for what is absent"]
    return forms


def message_vectors(sender: str, name: str, values: Mapping[str, cases.Value]) -> dict[str, Any]:
    """The file of one message."""
    return {
        "message": name,
        "from": sender,
        "cases": [
            {
                "name": case,
                "value": value,
                "hex": framed(msgpack.packb(value)),
                "also": [{"name": form, "hex": framed(data)} for form, data in also(value).items()],
            }
            for case, value in values.items()
        ],
    }


def refusals(bad: Sequence[Bad]) -> list[dict[str, Any]]:
    """One side's part of ``refused.json``."""
    return [
        {
            "name": each.name,
            "state": each.state,
            "hex": framed(each.payload),
            "code": each.code,
            "fatal": each.fatal,
            "why": each.why,
        }
        for each in bad
    ]


def stream(name: str, chunks: Sequence[bytes], payloads: Sequence[bytes], code: str | None) -> Any:
    """The messages of bytes that arrive in pieces, with frames of up to 64 bytes."""
    return {
        "name": name,
        "max_frame": 64,
        "chunks": [chunk.hex() for chunk in chunks],
        "payloads": [payload.hex() for payload in payloads],
        "then": code,
    }


def streams() -> list[Any]:
    """The content of ``framing.json``."""
    one = bytes(msgpack.packb({"type": "ping", "nonce": 1}))
    two = bytes(msgpack.packb({"type": "pong", "nonce": "x" * 45}))
    first, second = (bytes.fromhex(framed(payload)) for payload in (one, two))
    both = first + second
    return [
        stream("one frame", [first], [one], None),
        stream("two frames in one piece", [both], [one, two], None),
        stream("a byte at a time", [bytes([byte]) for byte in both], [one, two], None),
        stream("cut in a length", [both[:2], both[2:25], both[25:]], [one, two], None),
        stream("the longest frame", [second], [two], None),
        stream("a frame that is not complete", [first + second[:-1]], [one], None),
        stream("length 0", [bytes(4), first], [], "malformed"),
        stream("a byte too long", [first, bytes.fromhex("00000041")], [one], "too_large"),
        stream("far too long", [b"\xff\xff\xff\xff" + first], [], "too_large"),
        stream("no frames at all", [b"GET / HTTP/1.1\r\n"], [], "too_large"),
    ]


def files() -> dict[str, Any]:
    """Every vector file: its name and what is in it."""
    sides = {"client": cases.FROM_CLIENT, "server": cases.FROM_SERVER, "either": cases.EITHER_SIDE}
    documents: dict[str, Any] = {
        f"{name}.json": message_vectors(sender, name, values)
        for sender, messages in sides.items()
        for name, values in messages.items()
    }
    documents["refused.json"] = {
        "from_client": refusals(bad_frames.FROM_CLIENT),
        "from_server": refusals(bad_frames.FROM_SERVER),
    }
    documents["framing.json"] = streams()
    documents["remarks.json"] = remarks.CASES
    return documents


def text(document: Any) -> str:
    """A document as it is written."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, document in files().items():
        (folder / name).write_text(text(document), encoding="utf-8")
