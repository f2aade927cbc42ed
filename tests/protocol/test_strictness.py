"""What a frame may hold, held against a second reading of the contract on the msgpack package."""

from typing import Any, get_args

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from polynya_protocol import (
    FrameDecoder,
    RemoteProtocolError,
    decode_from_client,
    decode_from_server,
    encode,
)
from polynya_protocol.messages import ErrorCode, FromClient, FromServer, Move, Ping
from polynya_protocol.plain import MAX_DEPTH, MAX_ITEMS_FROM_CLIENT

MESSAGES = get_args(FromClient) + get_args(FromServer)
KEYS = sorted({key for message in MESSAGES for key in message.__struct_fields__})
UNKNOWN_MESSAGE = b"\x82\xa4type\xa6castle\xa1x"
"""The beginning of a frame that is only `unknown_type` if its last value is allowed."""


def allowed(payload: bytes) -> bool:
    """Whether the contract allows this frame, whatever it says; by the msgpack package."""
    try:
        value = msgpack.unpackb(payload, object_pairs_hook=Pairs)
    except (ValueError, msgpack.UnpackException):
        return False
    return isinstance(value, Pairs) and plain(value, 1)


class Pairs(list[tuple[Any, Any]]):
    """A map whose duplicate keys can still be seen."""


def plain(value: Any, level: int) -> bool:
    if isinstance(value, Pairs):
        keys = [key for key, _ in value]
        distinct = all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys)
        return distinct and level <= MAX_DEPTH and all(plain(v, level + 1) for _, v in value)
    if isinstance(value, list):
        return level <= MAX_DEPTH and all(plain(each, level + 1) for each in value)
    return value is None or isinstance(value, bool | int | float | str)


def codes(payload: bytes) -> list[ErrorCode]:
    """The verdicts on a frame from a client and from a server."""
    verdicts: list[ErrorCode] = []
    for decode in (decode_from_client, decode_from_server):
        try:
            decode(payload)
        except RemoteProtocolError as error:
            verdicts.append(error.code)
    return verdicts


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5)
)
keys = st.text(max_size=2) | st.integers(0, 3) | st.binary(max_size=2)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=30,
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """The bytes of a value with a few of them changed, inserted or taken away."""
    data = bytearray(msgpack.packb(draw(values)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 1))] = draw(st.binary(max_size=2))
    return bytes(data)


@given(st.binary() | mutated())
@example(b"\x82\xa1a\x01\xa1a\x01")
@example(b"\x82\xa1a\x01\xa1a\xd2\x00\x00\x00\x01")
@example(b"\x92\xc0\x82\xd9\x01a\x01\xa1a\x01")
@example(b"\xca\x7f\xc0\x00\x00")
@example(b"\xc1")
def test_any_bytes_are_judged_as_the_contract_says(value: bytes) -> None:
    payload = UNKNOWN_MESSAGE + value
    expected = "unknown_type" if allowed(payload) else "malformed"
    assert [expected] * 2 == codes(payload)


@given(st.binary() | mutated())
def test_whole_frames_of_any_bytes_end_in_a_message_or_a_verdict(payload: bytes) -> None:
    assert all(allowed(payload) or code == "malformed" for code in codes(payload))


@given(st.sampled_from(MESSAGES), st.dictionaries(st.sampled_from(KEYS), values, max_size=6))
def test_known_messages_with_any_fields_end_in_a_message_or_a_verdict(
    message: Any, fields: dict[str, Any]
) -> None:
    payload = msgpack.packb({"type": message.__struct_config__.tag, **fields})
    assert all(allowed(payload) or code == "malformed" for code in codes(payload))


@given(st.dictionaries(st.sampled_from(["match", "turn", "steps"]), values))
def test_a_move_of_any_form_goes_to_the_referee(fields: dict[str, Any]) -> None:
    payload = msgpack.packb({"type": "move", **fields})
    assume(allowed(payload))
    # As bytes, because NaN is not equal to itself.
    assert encode(Move(**fields)) == encode(decode_from_client(payload))


def nested(levels: int) -> bytes:
    """A frame of an unknown message with maps and arrays of so many levels in all."""
    return UNKNOWN_MESSAGE + b"\x91" * (levels - 2) + b"\x90"


USUAL = [("type", "move"), ("match", "m"), ("turn", 3), ("steps", [["move", 1, 2]])]


@given(
    st.permutations(USUAL),
    st.lists(st.tuples(st.sampled_from(["match", "turn", "steps", "x"]), values), max_size=1),
    st.integers(0, 4),
)
def test_nothing_is_hidden_in_a_move_of_the_usual_form(
    pairs: list[tuple[str, Any]], more: list[tuple[str, Any]], place: int
) -> None:
    pairs[place:place] = more
    packed = [msgpack.packb(key) + msgpack.packb(value) for key, value in pairs]
    payload = bytes([0x80 + len(pairs)]) + b"".join(packed)
    assert allowed(payload) == ("malformed" not in codes(payload))


@given(st.integers(0, 2**16 - 1), st.booleans(), st.booleans())
def test_an_integer_of_a_move_may_be_in_a_longer_form(turn: int, longer: bool, twice: bool) -> None:
    packed = b"\xcd" + turn.to_bytes(2) if longer else msgpack.packb(turn)
    named = b"\xa4turn" + packed
    head = b"\x84\xa4type\xa4move" if twice else b"\x83\xa4type\xa4move"
    payload = head + b"\xa5match\xa1m" + named * (1 + twice)
    assert allowed(payload) == ("malformed" not in codes(payload))


def test_sixteen_levels_are_allowed() -> None:
    assert codes(nested(16)) == ["unknown_type"] * 2


@pytest.mark.parametrize("levels", [17, 18, 1_000, 60_000])
def test_more_levels_are_malformed(levels: int) -> None:
    assert codes(nested(levels)) == ["malformed"] * 2


def test_a_collection_may_have_as_many_entries_as_the_bound() -> None:
    payload = msgpack.packb({"type": "ping", "nonce": 1, "x": [0] * MAX_ITEMS_FROM_CLIENT})
    assert Ping(nonce=1) == decode_from_client(payload)


def test_a_collection_may_not_have_one_entry_more() -> None:
    payload = msgpack.packb({"type": "ping", "nonce": 1, "x": [0] * (MAX_ITEMS_FROM_CLIENT + 1)})
    with pytest.raises(RemoteProtocolError, match="4096"):
        decode_from_client(payload)


LONG = [0] * (MAX_ITEMS_FROM_CLIENT + 1)


@pytest.mark.parametrize("steps", [LONG, [LONG], [["place", *LONG]], {"x": LONG}])
def test_the_form_of_a_move_is_left_to_the_referee(steps: object) -> None:
    message = decode_from_client(
        msgpack.packb({"type": "move", "match": "m", "turn": 1, "steps": steps})
    )
    assert isinstance(message, Move)
    assert (message.match, message.turn, message.steps) == ("m", 1, steps)


@pytest.mark.parametrize(
    "also",
    [
        b"\xa1x\xc4\x00",  # a bin
        b"\xa1x\xd4\x01\x00",  # an ext
        b"\xa1x" + b"\x91" * 16 + b"\x90",  # 18 levels
        b"\xa1x" + b"\x91" * 60_000 + b"\x90",
        b"\x01\x02",  # a key that is no str
        b"\xa4type\xa4move",  # a key twice
        b"\xa1x\xa1\xff",  # no UTF-8
    ],
    ids=["bin", "ext", "deep", "very deep", "key", "twice", "text"],
)
def test_invalid_frame_is_invalid_as_a_long_move_too(also: bytes) -> None:
    steps = msgpack.packb(LONG)
    payload = b"\x83\xa4type\xa4move\xa5steps" + steps + also
    with pytest.raises(RemoteProtocolError) as raised:
        decode_from_client(payload)
    assert (raised.value.code, raised.value.fatal) == ("malformed", True)


def test_the_bound_on_collections_can_be_set() -> None:
    decode = FrameDecoder(FromClient, FromServer, max_items=3).decode
    assert Ping(nonce=1) == decode(msgpack.packb({"type": "ping", "nonce": 1, "x": [1, 2, 3]}))
    with pytest.raises(RemoteProtocolError, match="3"):
        decode(msgpack.packb({"type": "ping", "nonce": 1, "x": {str(n): 0 for n in range(4)}}))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"type": "ready"}, "`ready` is wrong: Object missing required field `match`"),
        (
            {"type": "steps", "match": "m", "turn": "1", "steps": []},
            "the key `turn` of `steps` is wrong: Expected `int`, got `str`",
        ),
        (
            {"type": "hello", "protocol": 1, "name": "a", "software": {"name": 1}},
            "the key `software.name` of `hello` is wrong: Expected `str | null`, got `int`",
        ),
        (
            {"type": "hello", "protocol": 1, "name": "a", "concurrency": 0},
            "the key `concurrency` of `hello` is wrong: Expected `int` >= 1",
        ),
        (
            {"type": "ping", "nonce": b"1"},
            "a frame holds a msgpack bin; this protocol sends text as str and has no bin",
        ),
        (
            {"type": "\x1b[2J" + "x" * 60},
            "this version does not know the message '?[2J" + "x" * 36 + "...'; it was ignored",
        ),
    ],
)
def test_a_verdict_names_what_is_wrong(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_from_client(msgpack.packb(fields))
    assert sentence == caught.value.message


@pytest.mark.parametrize(
    "hidden",
    [b"\x81\x00\x00", b"\x91" * 600 + b"\x90", b"\xc4\x00", b"\xd4\x00\x00"],
    ids=["integer as key", "deep", "bin", "ext"],
)
def test_nothing_hides_under_the_first_of_two_keys(hidden: bytes) -> None:
    payload = b"\x84\xa4type\xa4move\xa5match\xa1m\xa4turn" + hidden + b"\xa4turn\x01"
    assert codes(payload) == ["malformed"] * 2


def test_a_key_that_comes_twice_is_named() -> None:
    with pytest.raises(RemoteProtocolError, match="the key 'nonce' appears twice in one map"):
        decode_from_client(b"\x83\xa4type\xa4ping\xa5nonce\x01\xa5nonce\x01")
