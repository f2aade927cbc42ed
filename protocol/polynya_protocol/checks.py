"""Checks of a message's values that its types cannot express, each with the contract's verdict.

Source: wire contract, "Session" and "Details that were asked about".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from polynya_protocol.errors import RemoteProtocolError, malformed, printable
from polynya_protocol.messages import (
    PROTOCOL_VERSION,
    Hello,
    Ping,
    Pong,
    Watch,
)
from polynya_protocol.names import FORM, is_name

MAX_NONCE_BYTES = 64
MAX_INFO_BYTES = 1024

LEAST_REGISTRATION_BYTES = 16
MOST_REGISTRATION_BYTES = 64


def check_protocol(protocol: object) -> None:
    """Refuse another version of the protocol, for any other contents of its ``hello``.

    Raises:
        RemoteProtocolError: ``unsupported_protocol``, for an integer other than ours.
    """
    if type(protocol) is int and protocol != PROTOCOL_VERSION:
        message = f"this server speaks protocol {PROTOCOL_VERSION}, not {protocol}"
        raise RemoteProtocolError("unsupported_protocol", message, fatal=True)


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a bot.

    Raises:
        RemoteProtocolError: ``bad_name``.
    """
    if not is_name(name):
        message = f"the name {printable(name, 40)!r} is not {FORM}"
        raise RemoteProtocolError("bad_name", message, fatal=True)


def _check_hello(hello: Hello) -> None:
    check_protocol(hello.protocol)
    if hello.name is not None:
        check_name(hello.name)
    elif hello.role != "spectator" and hello.token is None:
        raise malformed("the key `name` of `hello` is missing; only spectators may leave it out")
    if hello.registration is not None:
        _check_registration(hello.registration)


def _check_registration(registration: str) -> None:
    size = len(registration.encode())
    if not LEAST_REGISTRATION_BYTES <= size <= MOST_REGISTRATION_BYTES:
        raise malformed(
            f"the key `registration` has {size} bytes; it is a random str of "
            f"{LEAST_REGISTRATION_BYTES} to {MOST_REGISTRATION_BYTES}"
        )


def _check_nonce(message: Ping | Pong) -> None:
    nonce = message.nonce
    if isinstance(nonce, str) and len(nonce.encode()) > MAX_NONCE_BYTES:
        raise malformed(f"the key `nonce` is longer than {MAX_NONCE_BYTES} bytes")


def _check_watch(watch: Watch) -> None:
    if watch.match is None and not watch.all:
        raise malformed("`watch` needs the key `match`, or `all` that is true")


CHECKS: Mapping[type, Callable[[Any], None]] = {
    Hello: _check_hello,
    Ping: _check_nonce,
    Pong: _check_nonce,
    Watch: _check_watch,
}
"""By class of message; the others need no check beyond their types."""


def check_info(info: msgspec.Raw, limit: int = MAX_INFO_BYTES) -> msgspec.Raw | None:
    """The ``info`` of a move as it may be kept (a msgpack map), None when there is none.

    Raises:
        RemoteProtocolError: ``too_large``, not fatal: it is no map or over ``limit`` bytes, and is
            to be dropped; the move itself counts.
    """
    document = bytes(info)
    if document in (b"", _NIL):
        return None
    if not _is_map(document[0]):
        raise _dropped_info("`info` is no map and was dropped; the move counts")
    if len(document) > limit:
        raise _dropped_info(
            f"`info` has {len(document)} bytes, over the limit of {limit}, "
            "and was dropped; the move counts"
        )
    return msgspec.Raw(document)  # which keeps no longer message alive


_NIL = b"\xc0"


def _is_map(first_byte: int) -> bool:
    return 0x80 <= first_byte <= 0x8F or first_byte in (0xDE, 0xDF)


def _dropped_info(message: str) -> RemoteProtocolError:
    return RemoteProtocolError("too_large", message, fatal=False)
