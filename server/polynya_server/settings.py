"""Defines the settings of a server: address, times and limits, with units and meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_type_hints

import msgspec

from polynya_protocol.checks import MAX_INFO_BYTES
from polynya_protocol.framing import MAX_FRAME_FROM_CLIENT, MAX_FRAME_FROM_SERVER
from polynya_protocol.plain import MAX_DEPTH, MAX_ITEMS_FROM_CLIENT

MAX_PORT = 65_535
_ADDRESS = re.compile(
    r"(\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+))(:(?P<port>[0-9]{1,5}))?"
)


def setting(meaning: str) -> msgspec.Meta:
    """Annotate a setting with its meaning, in one sentence."""
    return msgspec.Meta(description=meaning)


MAX_SETTING = 10**12
"""Upper bound of settings without a narrower range: every language can compute with it, and in ms
it is 31 years."""


def number_setting(
    meaning: str, unit: str, least: float = 1, most: float = MAX_SETTING
) -> msgspec.Meta:
    """Annotate a number setting with its meaning, unit and range."""
    return msgspec.Meta(description=meaning, extra={"unit": unit, "range": (least, most)})


def int_setting(
    meaning: str, unit: str, minimum: int = 1, maximum: int = MAX_SETTING
) -> msgspec.Meta:
    """Annotate a setting that is a whole number."""
    return number_setting(meaning, unit, minimum, maximum)


def ranged(least: float, most: float) -> msgspec.Meta:
    """Annotate a number with its range; its meaning is given elsewhere."""
    return number_setting("", "", least, most)


def _ms(meaning: str, minimum: int = 1) -> msgspec.Meta:
    return int_setting(meaning, "ms", minimum)


def _bytes(meaning: str) -> msgspec.Meta:
    return int_setting(meaning, "bytes")


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of a server, each with its meaning; ``SETTINGS`` lists them.

    Raises:
        ValueError: a number is out of its range, or one of the two TLS files is missing.
    """

    host: Annotated[str, setting("The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1"
    port: Annotated[
        int, int_setting("The port to listen on, 0 for any that is free.", "", 0, MAX_PORT)
    ] = 0
    advertise: Annotated[
        str | None,
        setting(
            "The address under which others reach the server, as HOST:PORT or HOST, if it differs "
            "from the address that it listens on."
        ),
    ] = None
    tls_cert: Annotated[
        str | None, setting("The PEM file of the server's certificate: connections are encrypted.")
    ] = None
    tls_key: Annotated[str | None, setting("The PEM file of the certificate's private key.")] = None
    open_registration: Annotated[
        bool, setting("true: a bot may register a new name by connecting without a token.")
    ] = False
    registration_burst: Annotated[
        int, int_setting("The most new names that come from one address at once.", "names")
    ] = 60
    registrations_per_minute: Annotated[
        int,
        int_setting("The most new names from one address in the long run.", "names/min"),
    ] = 6
    wrong_token_burst: Annotated[
        int, int_setting("The most wrong tokens that come from one address at once.", "tokens")
    ] = 60
    wrong_tokens_per_minute: Annotated[
        int,
        int_setting("The most wrong tokens from one address in the long run.", "tokens/min"),
    ] = 6
    hello_ms: Annotated[int, _ms("The longest wait for the hello of a new connection.")] = 5_000
    ready_ms: Annotated[int, _ms("The longest wait for a bot's ready.")] = 10_000
    heartbeat_ms: Annotated[
        int,
        _ms("The interval of the server's pings; it drops a peer that is silent for three pings."),
    ] = 15_000
    reconnect_ms: Annotated[
        int, _ms("Time without a connection after which a bot forfeits while it is not its turn.")
    ] = 30_000
    lag_ms: Annotated[
        int,
        _ms(
            "The most time of a turn that is not charged, for the network; never more than the "
            "connection's smallest measured round trip.",
            minimum=0,
        ),
    ] = 100
    drain_ms: Annotated[
        int, _ms("Time without reading after which the server drops a peer that has bytes to read.")
    ] = 5_000
    close_ms: Annotated[
        int, _ms("Time that the server reads on after its last frame, so that the frame arrives.")
    ] = 1_000
    max_frame: Annotated[int, _bytes("The longest frame that the server accepts.")] = (
        MAX_FRAME_FROM_CLIENT
    )
    max_nesting: Annotated[
        int,
        int_setting("The most levels of maps and arrays in a frame.", "levels", 1, MAX_DEPTH),
    ] = MAX_DEPTH
    max_items: Annotated[
        int,
        int_setting(
            "The most entries of one map or array in a frame; the rules of a game limit moves "
            "further.",
            "entries",
        ),
    ] = MAX_ITEMS_FROM_CLIENT
    max_info: Annotated[
        int, _bytes("The longest info of a move that the server keeps; it drops a longer one.")
    ] = MAX_INFO_BYTES
    max_concurrency: Annotated[
        int, int_setting("The most matches that one bot may play at the same time.", "matches")
    ] = 64
    max_connections: Annotated[
        int, int_setting("The most connections at the same time.", "connections")
    ] = 20_000
    max_connections_per_address: Annotated[
        int, int_setting("The most connections from one address at the same time.", "connections")
    ] = 1_000
    max_unsent: Annotated[
        int, _bytes("The most bytes that wait to be sent; a peer that lets more wait is dropped.")
    ] = 2 * MAX_FRAME_FROM_SERVER
    max_memory: Annotated[
        int,
        _bytes(
            "The most memory of one connection: part of a frame, messages that wait for the end "
            "of a pause (80 bytes for each of their bytes), and bytes that wait to be sent."
        ),
    ] = 8 * 1024 * 1024
    max_spectator_unsent: Annotated[
        int,
        _bytes("The most events that wait for a spectator; beyond, a new snapshot replaces them."),
    ] = 64 * 1024
    live_delay_s: Annotated[
        int,
        int_setting(
            "Delay of all that spectators see, results included.",
            "s",
            0,
            3_600,
        ),
    ] = 0
    messages_per_second: Annotated[
        int,
        int_setting(
            "The most messages of a connection in the long run; answers to the server's "
            "questions are not counted.",
            "messages/s",
        ),
    ] = 500
    message_burst: Annotated[
        int,
        int_setting("The most messages of a connection at once, beyond that rate.", "messages"),
    ] = 500
    bytes_per_second: Annotated[
        int, int_setting("The most data of a connection in the long run.", "bytes/s")
    ] = 4 * 1024 * 1024
    byte_burst: Annotated[int, _bytes("The most data of a connection at once.")] = 8 * 1024 * 1024
    kernel_times: Annotated[
        bool,
        setting(
            "true: the kernel's time stamps say when bytes arrived, on systems that have them."
        ),
    ] = True

    def __post_init__(self) -> None:
        """Refuse invalid values."""
        for setting in SETTINGS:
            setting.check(getattr(self, setting.name))
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key are given together, or neither")
        if self.advertise is not None:
            split_address(self.advertise)


def split_address(text: str) -> tuple[str, int | None]:
    """Split a published address into host and port; the port is None if it names none.

    Raises:
        ValueError: it is not an address; the message says what one looks like.
    """
    found = _ADDRESS.fullmatch(text)
    port = None if found is None or found["port"] is None else int(found["port"])
    if found is None or port == 0 or (port or 0) > MAX_PORT:
        raise ValueError(
            f"advertise: {text!r} is no address: write HOST:PORT, such as games.example:4242 or "
            "[2001:db8::1]:4242"
        )
    return found["v6"] or found["host"], port


def check_range(key: str, value: float, least: float, most: float) -> None:
    """Refuse a number outside its range.

    Raises:
        ValueError: the message states all four arguments.
    """
    if not least <= value <= most:
        raise ValueError(f"{key}: {value} is not in the range {least} to {most}")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, for tables, flags and checks.

    Attributes:
        name: its key.
        kind: its type, an optional one if it may be omitted.
        default: its default value.
        unit: the unit of a number; empty for other values.
        meaning: a sentence.
        range: the range of a number, both ends included; None for other values.
    """

    name: str
    kind: Any
    default: object
    unit: str
    meaning: str
    range: tuple[float, float] | None

    def check(self, value: object, table: str = "") -> None:
        """Refuse a number outside its range, or a value that is not a number.

        Args:
            value: the setting's value.
            table: prefix of its key, dot included.

        Raises:
            ValueError: the message has the key, the value and the range.
        """
        if self.range is not None and isinstance(value, int | float):
            check_range(f"{table}{self.name}", value, *self.range)


def settings_of(kind: type[msgspec.Struct]) -> tuple[Setting, ...]:
    """List the annotated settings of a structure, in its order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(
        _setting(field.name, kind_of, meta, field.default)
        for field in msgspec.structs.fields(kind)
        for kind_of, meta in _meanings(hints[field.name])
    )


def _meanings(hint: Any) -> Iterator[tuple[Any, msgspec.Meta]]:
    """The type and the meaning in an annotated ``hint``; inside a union, the type is optional."""
    if hasattr(hint, "__metadata__"):
        yield hint.__origin__, hint.__metadata__[0]
        return
    for part in get_args(hint):
        if hasattr(part, "__metadata__"):
            yield part.__origin__ | None, part.__metadata__[0]


def _setting(name: str, kind: Any, meta: msgspec.Meta, default: object) -> Setting:
    extra: dict[str, Any] = meta.extra or {}
    unit = str(extra.get("unit", ""))
    return Setting(name, kind, default, unit, meta.description or "", extra.get("range"))


SETTINGS = settings_of(ServerSettings)
