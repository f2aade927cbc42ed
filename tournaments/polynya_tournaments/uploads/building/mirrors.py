"""Reads and checks the mirrors: the hosts in the settings that builds may download from."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from polynya_common.errors import ConfigurationError
from polynya_protocol.errors import printable

HTTPS_PORT: Final = 443
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*")
_PORTS: Final = range(1, 65_536)

_NOT_PUBLIC: Final = tuple(
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "224.0.0.0/3",
    )
)
"""IPv4 addresses of this machine and its networks, and addresses of no host (RFC 6890)."""
_PUBLIC_6: Final = ipaddress.IPv6Network("2000::/3")
_TUNNELS_6: Final = (ipaddress.IPv6Network("2001::/32"), ipaddress.IPv6Network("2002::/16"))
"""Addresses that hold one of IPv4: Teredo and 6to4."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """A host that builds may reach over HTTPS.

    Attributes:
        host: its name, in small letters, or its address.
        port: its port.
        address: where it is; None where DNS says so, and then only public addresses count.
    """

    host: str
    port: int = HTTPS_PORT
    address: str | None = None

    @property
    def label(self) -> str:
        """As people write it: without the port of HTTPS."""
        return self.host if self.port == HTTPS_PORT else f"{self.host}:{self.port}"


def mirrors_of(entries: Iterable[str]) -> tuple[Mirror, ...]:
    """The mirrors of the setting ``uploads.mirrors``, each ``HOST[:PORT][=ADDRESS]``.

    Raises:
        ConfigurationError: the message names the entry, and says what to write.
    """
    return tuple(_mirror(entry) for entry in entries)


def _mirror(entry: str) -> Mirror:
    place, equals, address = entry.strip().partition("=")
    host, colon, port = place.lower().partition(":")
    if "/" in place or not _NAME.fullmatch(host):
        raise _refusal(entry, "it is no host")
    number = int(port) if port.isascii() and port.isdecimal() else 0 if colon else HTTPS_PORT
    if number not in _PORTS:
        raise _refusal(entry, "its port is not 1 to 65535")
    if equals and not is_address(address):
        raise _refusal(entry, f"{printable(address)} is no address")
    return Mirror(host, number, address if equals else host if is_address(host) else None)


def _refusal(entry: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"uploads.mirrors: {printable(entry)}: {why}; write 'registry.example', "
        "'registry.example:8443', or with a private address 'registry.example=10.0.0.5'"
    )


def is_address(text: str) -> bool:
    """Whether this is an address of IPv4 or IPv6."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether an address is on the public Internet, not this machine or a network of its."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return found in _PUBLIC_6 and not any(found in block for block in _TUNNELS_6)
        found = found.ipv4_mapped
    return not any(found in block for block in _NOT_PUBLIC)
