"""The vector files: current, agreed on by two msgpack packages, and kept by the codec."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest
from tests.folders import VECTORS_OF_PROTOCOL

from polynya_protocol import (
    Deframer,
    RemoteProtocolError,
    client_side,
    decode_from_client,
    decode_from_server,
    encode,
    server_side,
)
from polynya_protocol.messages import FromClient, FromServer, Hello, Server, Welcome

SIDES: dict[str, list[Any]] = {
    "client": [decode_from_client],
    "server": [decode_from_server],
    "either": [decode_from_client, decode_from_server],
}


def read(name: str) -> Any:
    return json.loads((VECTORS_OF_PROTOCOL / name).read_text(encoding="utf-8"))


def payload(hexadecimal: str) -> bytes:
    frame = bytes.fromhex(hexadecimal)
    assert int.from_bytes(frame[:4]) == len(frame) - 4
    return frame[4:]


MESSAGES: list[Any] = [
    read(path.name)
    for path in sorted(VECTORS_OF_PROTOCOL.glob("*.json"))
    if path.stem not in ("refused", "framing", "remarks")
]
each_message = pytest.mark.parametrize("document", MESSAGES, ids=lambda each: each["message"])


def test_every_message_has_vectors() -> None:
    messages: tuple[Any, ...] = get_args(FromClient) + get_args(FromServer)
    known = {message.__struct_config__.tag for message in messages}
    assert known == {document["message"] for document in MESSAGES}


def test_the_files_are_what_the_script_writes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, VECTORS_OF_PROTOCOL / "generate.py", tmp_path], check=True)
    assert texts(tmp_path) == texts(VECTORS_OF_PROTOCOL)


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}


@each_message
def test_encoding_gives_the_canonical_bytes(document: Any) -> None:
    for decode in SIDES[document["from"]]:
        expected = {case["name"]: case["hex"] for case in document["cases"]}
        assert expected == {
            case["name"]: encode(decode(payload(case["hex"]))).hex() for case in document["cases"]
        }


@each_message
def test_the_other_forms_say_the_same(document: Any) -> None:
    for decode in SIDES[document["from"]]:
        for case in document["cases"]:
            forms = {form["name"]: plain(decode(payload(form["hex"]))) for form in case["also"]}
            assert dict.fromkeys(forms, plain(decode(payload(case["hex"])))) == forms, case["name"]


def plain(message: Any) -> Any:
    """The present keys of a message as the msgpack package reads them; nil counts as absent."""
    keys = msgpack.unpackb(encode(message)[4:])
    return {key: value for key, value in keys.items() if value is not None}


@each_message
def test_both_msgpack_packages_read_the_values(document: Any) -> None:
    expected = [case["value"] for case in document["cases"]]
    payloads = [payload(case["hex"]) for case in document["cases"]]
    assert expected == [msgpack.unpackb(data) for data in payloads]
    assert expected == [msgspec.msgpack.decode(data) for data in payloads]


def joined(side: str, state: str) -> Any:
    """The end of a connection that hears from ``side``, brought to a state of the session."""
    client, server = client_side(), server_side()
    if state != "awaiting hello":
        role: Any = state
        server.receive_data(client.send(Hello(protocol=1, name="alice", role=role)))
        welcome = Welcome(
            protocol=1,
            server=Server(name="polynya", version="1"),
            bot="alice",
            session="1",
            heartbeat_ms=1000,
            max_frame=65536,
            matches=[],
        )
        client.receive_data(server.send(welcome))
    return server if side == "from_client" else client


@pytest.mark.parametrize("side", ["from_client", "from_server"])
def test_bad_frames_get_their_verdict_in_a_printable_sentence(side: str) -> None:
    for bad in read("refused.json")[side]:
        [error] = joined(side, bad["state"]).receive_data(bytes.fromhex(bad["hex"]))
        assert (bad["code"], bad["fatal"]) == (error.code, error.fatal), bad["name"]
        assert error.message.isprintable(), bad["name"]
        assert 10 < len(error.message) < 400, bad["name"]


def test_frames_are_cut_from_the_stream() -> None:
    for case in read("framing.json"):
        deframer = Deframer(case["max_frame"])
        chunks = map(bytes.fromhex, case["chunks"])
        found = [each for chunk in chunks for each in deframer.receive(chunk)]
        payloads = [each.hex() for each in found if isinstance(each, bytes)]
        codes = [each.code for each in found if isinstance(each, RemoteProtocolError)]
        expected = (case["payloads"], [case["then"]] if case["then"] else [])
        assert expected == (payloads, codes), case["name"]
