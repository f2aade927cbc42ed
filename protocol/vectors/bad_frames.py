"""Frames that one side must refuse, with the verdict: the cases of ``refused.json``."""

from typing import Any, NamedTuple

import msgpack  # type: ignore[import-untyped]

pack = msgpack.packb


class Bad(NamedTuple):
    """A payload that is refused in a state of the session."""

    name: str
    payload: bytes
    code: str
    fatal: bool
    why: str
    state: str = "player"


def nested(levels: int) -> Any:
    """Arrays within arrays, ``levels`` of them."""
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


def message(name: str, /, **keys: Any) -> bytes:
    """A message's payload."""
    return bytes(pack({"type": name, **keys}))


def hello(**keys: Any) -> bytes:
    """A hello that would be good without ``keys``."""
    return message("hello", **{"protocol": 1, "name": "alice", **keys})


def bad_hello(name: str, payload: bytes, why: str, code: str = "malformed") -> Bad:
    """A fatal mistake in the first frame."""
    return Bad(name, payload, code, True, why, "awaiting hello")


def malformed(name: str, payload: bytes, why: str) -> Bad:
    """A fatal ``malformed``."""
    return Bad(name, payload, "malformed", True, why)


PING = b"\xa4type\xa4ping\xa5nonce\x01"

BYTES = [
    malformed("no msgpack", b"\xc1", "0xc1 is never used in msgpack"),
    malformed("text", b"GET / HTTP/1.1", "bytes follow the first msgpack value"),
    malformed("an array", pack(["ping", 1]), "a frame holds a map"),
    malformed("nil", pack(None), "a frame holds a map"),
    malformed("two maps", pack({}) + b"\x82" + PING, "a frame holds exactly one map"),
    malformed("a byte too many", b"\x82" + PING + b"\xc0", "a frame holds exactly one map"),
    malformed("a byte too few", b"\x82" + PING[:-1], "the map is not complete"),
    malformed("a key too few", b"\x83" + PING, "the map is not complete"),
    malformed("an array that cannot be", b"\x83" + PING + b"\xa1x\xdd\xff\xff\xff\xff", "too long"),
    malformed("no type", pack({"nonce": 1}), "each message has the key type"),
    malformed("an empty map", pack({}), "each message has the key type"),
    malformed("type is nil", pack({"type": None, "nonce": 1}), "type is a str"),
    malformed("type is a number", pack({"type": 3, "nonce": 1}), "type is a str"),
    malformed("type is bin", pack({"type": b"ping", "nonce": 1}), "there is no bin"),
    malformed("a key is bin", pack({"type": "ping", "nonce": 1, b"x": 1}), "keys are str"),
    malformed("a key is a number", pack({"type": "ping", "nonce": 1, 5: 1}), "keys are str"),
    malformed("a nested key is a number", message("ping", nonce=1, x={5: 1}), "keys are str"),
    malformed("bin in an unknown key", message("ping", nonce=1, x=b"a"), "there is no bin"),
    malformed(
        "ext in an unknown key",
        message("ping", nonce=1, x=msgpack.ExtType(5, b"a")),
        "there is no ext",
    ),
    malformed("a timestamp", message("ping", nonce=1, x=msgpack.Timestamp(1, 0)), "it is an ext"),
    malformed("a key twice", b"\x83" + PING + b"\xa5nonce\x01", "keys are distinct"),
    malformed("type twice", b"\x83" + PING + b"\xa4type\xa4pong", "keys are distinct"),
    malformed("an unknown key twice", b"\x84" + PING + b"\xa1x\x01\xa1x\x01", "keys are distinct"),
    malformed(
        "a nested key twice", b"\x83" + PING + b"\xa1x\x82\xa1y\xc0\xa1y\xc0", "keys are distinct"
    ),
    malformed(
        "a key twice in two widths", b"\x83" + PING + b"\xd9\x05nonce\x01", "keys are distinct"
    ),
    malformed("17 levels", message("ping", nonce=1, x=nested(16)), "at most 16 levels"),
    malformed("1,000 levels", message("ping", nonce=1, x=nested(999)), "at most 16 levels"),
    malformed("no UTF-8 in a value", b"\x83" + PING + b"\xa1x\xa1\xff", "a str is UTF-8"),
    malformed("no UTF-8 in a key", b"\x83" + PING + b"\xa1\xff\xc0", "a str is UTF-8"),
    malformed("a surrogate", b"\x83" + PING + b"\xa1x\xa3\xed\xa0\x80", "a str is UTF-8"),
    malformed("bin in a move", message("move", match="m", turn=1, steps=[[b"end"]]), "no bin"),
    malformed("17 levels in a move", message("move", match="m", steps=nested(16)), "too deep"),
]

KEYS = [
    malformed("ready without match", message("ready"), "match is missing"),
    malformed("ready with nil for match", message("ready", match=None), "match is missing"),
    malformed("ready with a number for match", message("ready", match=17), "ids are str"),
    malformed("resign with bin for match", message("resign", match=b"m"), "ids are str, no bin"),
    malformed("ping without nonce", message("ping"), "nonce is missing"),
    malformed("a float for nonce", message("ping", nonce=1.5), "nonce is an integer or a str"),
    malformed("true for nonce", message("ping", nonce=True), "true is no integer"),
    malformed("65 bytes of nonce", message("ping", nonce="x" * 65), "nonce has at most 64 bytes"),
    malformed("66 bytes in 33 letters", message("pong", nonce="ž" * 33), "bytes, not letters"),
    malformed("a str for turn", message("steps", match="m", turn="1", steps=[]), "an integer"),
    malformed("a float for turn", message("steps", match="m", turn=1.0, steps=[]), "an integer"),
    malformed("true for turn", message("steps", match="m", turn=True, steps=[]), "an integer"),
    malformed("a map for steps", message("steps", match="m", turn=1, steps={}), "an array"),
    malformed("a number for reason", message("goodbye", reason=1), "a str"),
]

UNKNOWN = Bad(
    "an unknown message", message("castle"), "unknown_type", False, "it may be of a later version"
)

STATES = [
    UNKNOWN,
    Bad("a message of servers", message("turn"), "unknown_type", True, "only servers send it"),
    malformed("a second hello", hello(), "a connection has one hello"),
    Bad("a player watches", message("watch", all=True), "malformed", False, "for spectators only"),
    Bad(
        "a spectator moves",
        message("move", match="m", turn=1, steps=[["end"]]),
        "unknown_match",
        False,
        "a spectator plays no match",
        "spectator",
    ),
    Bad("nothing to watch", message("watch"), "malformed", True, "match or all", "spectator"),
    Bad(
        "all is false", message("watch", all=False), "malformed", True, "match or all", "spectator"
    ),
]

HELLOS = [
    bad_hello("ping comes first", message("ping", nonce=1), "the first frame is hello"),
    bad_hello("an unknown message comes first", message("castle"), "the first frame is hello"),
    bad_hello("no protocol", message("hello", name="alice"), "protocol is missing"),
    bad_hello("protocol is a str", hello(protocol="1"), "an integer"),
    bad_hello("protocol is a float", hello(protocol=1.0), "an integer"),
    bad_hello("protocol is true", hello(protocol=True), "an integer"),
    bad_hello("protocol 2", hello(protocol=2), "another version", "unsupported_protocol"),
    bad_hello(
        "protocol 2 with another form of name",
        hello(protocol=2, name=["alice"]),
        "the version is looked at first",
        "unsupported_protocol",
    ),
    bad_hello("no name", message("hello", protocol=1), "a player has a name"),
    bad_hello("name is a number", hello(name=5), "a str"),
    bad_hello("an empty name", hello(name=""), "1 to 32 characters", "bad_name"),
    bad_hello("33 characters", hello(name="a" * 33), "1 to 32 characters", "bad_name"),
    bad_hello("a space in the name", hello(name="a b"), "A-Z a-z 0-9 _ . -", "bad_name"),
    bad_hello("a newline after the name", hello(name="a\n"), "A-Z a-z 0-9 _ . -", "bad_name"),
    bad_hello("letters beyond ASCII", hello(name="žluť"), "A-Z a-z 0-9 _ . -", "bad_name"),
    bad_hello("digits beyond ASCII", hello(name="a\u0661"), "A-Z a-z 0-9 _ . -", "bad_name"),
    bad_hello(
        "a spectator's bad name", hello(name="a b", role="spectator"), "given, so good", "bad_name"
    ),
    bad_hello("unknown role", hello(role="referee"), "player or spectator"),
    bad_hello("games is a str", hello(games="packeis"), "an array of str"),
    bad_hello("a game is a number", hello(games=[1]), "an array of str"),
    bad_hello("concurrency 0", hello(concurrency=0), "at least 1"),
    bad_hello("concurrency is true", hello(concurrency=True), "an integer"),
    bad_hello("wants is a map", hello(wants={"state": True}), "an array"),
    bad_hello("software is a str", hello(software="floe 1.2"), "a map"),
    bad_hello("max_frame below 1,024", hello(max_frame=1023), "no match could be sent"),
    bad_hello("registration is a number", hello(registration=2**63), "a str"),
    bad_hello("15 bytes of registration", hello(registration="x" * 15), "16 to 64 bytes"),
    bad_hello("65 bytes of registration", hello(registration="x" * 65), "16 to 64 bytes"),
    bad_hello("66 bytes in 33 letters", hello(registration="ž" * 33), "bytes, not letters"),
]

FROM_CLIENT = [*BYTES, *KEYS, *STATES, *HELLOS]

FROM_SERVER = [
    *BYTES,
    UNKNOWN,
    Bad("a message of clients", message("ready"), "unknown_type", True, "only clients send it"),
    malformed(
        "turn without remaining_ms", message("turn", match="m", seq=1, turn=1), "a key is missing"
    ),
    malformed(
        "an unknown reason",
        message("forfeited", match="m", seq=1, seat=0, reason="bored", detail="."),
        "reasons are fixed",
    ),
    bad_hello("pong before welcome", message("pong", nonce=1), "nothing was asked yet"),
]
