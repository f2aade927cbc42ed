"""The SDK's codec is held to the bytes in ``protocol/vectors``, as every SDK is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polynya_client import BadFrame
from polynya_client.codec import FrameBuffer, decode, encode

VECTORS = Path(__file__).parents[3] / "protocol" / "vectors"
MESSAGES = [
    document
    for file in sorted(VECTORS.glob("*.json"))
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


def cases(*senders: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{document['message']}-{case['name']}")
        for document in MESSAGES
        if document["from"] in senders
        for case in document["cases"]
    ]


@pytest.mark.parametrize("case", cases("client", "either"))
def test_message_is_encoded_to_the_shared_bytes(case: Any) -> None:
    assert encode(case["value"]).hex() == case["hex"]


@pytest.mark.parametrize("case", cases("server", "either"))
def test_shared_bytes_are_decoded_in_all_their_forms(case: Any) -> None:
    forms = [case["hex"], *(other["hex"] for other in case["also"])]
    decoded = [decode(bytes.fromhex(form)[LENGTH_BYTES:]) for form in forms]

    known = [{key: message[key] for key in case["value"]} for message in decoded]
    assert known == [case["value"]] * len(forms)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["name"])
        for case in json.loads((VECTORS / "refused.json").read_text())["from_server"]
        if case["name"] not in NOT_THE_CODECS_BUSINESS
    ],
)
def test_frame_that_is_no_message_is_refused_with_the_shared_code(case: Any) -> None:
    with pytest.raises(BadFrame) as caught:
        decode(bytes.fromhex(case["hex"])[LENGTH_BYTES:])
    assert caught.value.code == case["code"]


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


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["name"])
        for case in json.loads((VECTORS / "framing.json").read_text())
    ],
)
def test_frames_come_out_of_any_pieces(case: Any) -> None:
    assert drain(case["chunks"], case["max_frame"]) == (case["payloads"], case["then"])


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
