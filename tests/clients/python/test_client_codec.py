"""The SDK's codec is held to the bytes in ``protocol/vectors``, as every SDK is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.folders import VECTORS_OF_PROTOCOL

from polynya_client import BadFrame
from polynya_client.codec import FrameBuffer, decode, encode

MESSAGES = [
    document
    for file in sorted(VECTORS_OF_PROTOCOL.glob("*.json"))
    if isinstance(document := json.loads(file.read_text()), dict) and "message" in document
]
NOT_THE_CODECS_BUSINESS = {
    "an unknown message",
    "a message of clients",
    "turn without remaining_ms",
    "an unknown reason",
    "pong before welcome",
}
"""Well-formed frames: a client ignores what it does not know, and looks at keys when it acts."""
LENGTH_BYTES = 4


def cases(*senders: str) -> dict[tuple[str, str], Any]:
    """The vectors of these senders, by message and name."""
    return {
        (document["message"], case["name"]): case
        for document in MESSAGES
        if document["from"] in senders
        for case in document["cases"]
    }


def test_messages_are_encoded_to_the_shared_bytes() -> None:
    vectors = cases("client", "either")
    encoded = {name: encode(case["value"]).hex() for name, case in vectors.items()}
    assert {name: case["hex"] for name, case in vectors.items()} == encoded


def test_shared_bytes_are_decoded_in_all_their_forms() -> None:
    for name, case in cases("server", "either").items():
        forms = [case["hex"], *(other["hex"] for other in case["also"])]
        decoded = [decode(bytes.fromhex(form)[LENGTH_BYTES:]) for form in forms]
        known = [{key: message[key] for key in case["value"]} for message in decoded]
        assert [case["value"]] * len(forms) == known, name


def test_frames_that_are_no_message_are_refused_with_the_shared_code() -> None:
    refused = [
        case
        for case in json.loads((VECTORS_OF_PROTOCOL / "refused.json").read_text())["from_server"]
        if case["name"] not in NOT_THE_CODECS_BUSINESS
    ]
    assert {case["name"]: case["code"] for case in refused} == {
        case["name"]: refusal(bytes.fromhex(case["hex"])[LENGTH_BYTES:]) for case in refused
    }


def refusal(payload: bytes) -> str | None:
    """The code that the codec refuses a payload with; None if it takes it."""
    try:
        decode(payload)
    except BadFrame as error:
        return error.code
    return None


def drain(chunks: list[str], max_frame: int) -> tuple[list[str], str | None]:
    """The payloads that come out of these chunks, and the code of the error that ends them."""
    buffer = FrameBuffer(max_frame)
    payloads = []
    try:
        for chunk in chunks:
            buffer.add(bytes.fromhex(chunk))
            while (payload := buffer.take()) is not None:
                payloads.append(payload.hex())
    except BadFrame as error:
        return payloads, error.code
    return payloads, None


def test_frames_come_out_of_any_pieces() -> None:
    for case in json.loads((VECTORS_OF_PROTOCOL / "framing.json").read_text()):
        expected = (case["payloads"], case["then"])
        assert expected == drain(case["chunks"], case["max_frame"]), case["name"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "move", "steps": [object()]}, "malformed"),
        ({"type": "move", "steps": [2**64]}, "malformed"),
        ({"type": "move", "text": "x" * 64 * 1024}, "too_large"),
    ],
)
def test_message_that_cannot_be_sent_is_refused_before_it_is(
    message: dict[str, Any], code: str
) -> None:
    with pytest.raises(BadFrame) as caught:
        encode(message)
    assert caught.value.code == code
