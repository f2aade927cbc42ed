"""Values that types cannot express: `info`, names, nonces, limits on both sides of each bound."""

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest

from polynya_protocol import (
    RemoteProtocolError,
    check_info,
    check_name,
    decode_from_client,
    encode,
)
from polynya_protocol.checks import MAX_INFO_BYTES, MAX_NONCE_BYTES
from polynya_protocol.messages import MIN_MAX_FRAME, Hello, Message, Move, Ping


def info(size: int) -> msgspec.Raw:
    """A remark of exactly this many bytes."""
    overhead = len(msgpack.packb({"text": "x" * 900})) - 900
    return msgspec.Raw(msgpack.packb({"text": "x" * (size - overhead)}))


def accepted(message: Message) -> bool:
    """Whether a server takes it."""
    try:
        decode_from_client(encode(message)[4:])
    except RemoteProtocolError:
        return False
    return True


def test_info_is_kept_as_it_was_sent() -> None:
    payload = msgpack.packb({"type": "move", "info": {"depth": 3}})
    move = decode_from_client(payload)
    assert isinstance(move, Move)
    assert msgspec.Raw(msgpack.packb({"depth": 3})) == check_info(move.info)


def test_info_may_have_1024_bytes() -> None:
    assert info(MAX_INFO_BYTES) == check_info(info(MAX_INFO_BYTES))


def test_info_of_1025_bytes_is_dropped_without_harm() -> None:
    with pytest.raises(RemoteProtocolError, match="1025 bytes, over the limit of 1024") as caught:
        check_info(info(MAX_INFO_BYTES + 1))
    assert (caught.value.code, caught.value.fatal) == ("too_large", False)


@pytest.mark.parametrize("value", [[], "good move", 1, False])
def test_info_that_is_no_map_is_dropped_without_harm(value: object) -> None:
    with pytest.raises(RemoteProtocolError, match="no map") as caught:
        check_info(msgspec.Raw(msgpack.packb(value)))
    assert (caught.value.code, caught.value.fatal) == ("too_large", False)


@pytest.mark.parametrize("absent", [b"", msgpack.packb(None)])
def test_no_info_is_no_info(absent: bytes) -> None:
    assert check_info(msgspec.Raw(absent)) is None


@pytest.mark.parametrize("name", ["a", "A-Z_a.z-09", "x" * 32])
def test_a_name_is_1_to_32_of_its_characters(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("name", ["", "x" * 33, "a b", "ä", "a\n", "a/b", "\x1b[1m"])
def test_invalid_names_are_refused(name: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        check_name(name)
    assert caught.value.code == "bad_name"
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(("extra", "expected"), [(0, True), (1, False)])
def test_a_nonce_has_up_to_64_bytes(extra: int, expected: bool) -> None:
    assert expected is accepted(Ping(nonce="x" * (MAX_NONCE_BYTES + extra)))


@pytest.mark.parametrize(("concurrency", "expected"), [(1, True), (0, False), (-1, False)])
def test_concurrency_is_at_least_one(concurrency: int, expected: bool) -> None:
    assert expected is accepted(Hello(protocol=1, name="a", concurrency=concurrency))


@pytest.mark.parametrize(("less", "expected"), [(0, True), (1, False)])
def test_a_client_takes_frames_of_at_least_1024_bytes(less: int, expected: bool) -> None:
    assert expected is accepted(Hello(protocol=1, name="a", max_frame=MIN_MAX_FRAME - less))


def test_a_token_may_stand_for_a_players_name() -> None:
    assert accepted(Hello(protocol=1, token="s3cret"))  # noqa: S106
