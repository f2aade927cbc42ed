"""Registrations: their limit for each network, and new names whose `welcome` may be lost."""

from __future__ import annotations

import hmac
import ipaddress
import math
from collections import OrderedDict
from typing import Final, NamedTuple

from polynya_server.sessions.tokens import hash_token
from polynya_server.settings import ServerSettings
from polynya_server.timing.monotonic_clock import NS_PER_S, NowNs

MAX_NETWORKS: Final = 10_000
"""Number of networks whose registrations are counted; the latest ones."""

MAX_FRESH: Final = 10_000
"""Number of names whose registration is remembered; the latest ones."""

FRESH_S: Final = 600
"""How long a name can be asked for once more (wire contract, "A lost `welcome`")."""

_PREFIX_V6: Final = 64
"""The part of an IPv6 address that one customer of a network has."""

_NS_PER_MINUTE: Final = 60 * NS_PER_S


def network_of(address: str) -> str:
    """The network of an address: an IPv4 address, also one within IPv6; 64 bits of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    bits = int(found) >> (128 - _PREFIX_V6) << (128 - _PREFIX_V6)
    return str(ipaddress.IPv6Address(bits))


class RegistrationLimit:
    """How many new names each network may still register: a bucket that fills again with time."""

    def __init__(self, settings: ServerSettings, now: NowNs) -> None:
        self._settings = settings
        self._now = now
        self._buckets: OrderedDict[str, tuple[float, int]] = OrderedDict()  # the last used at last

    def spend(self, address: str) -> int:
        """Count one more new name from an address.

        Returns:
            0, or in how many seconds at least the next one may be registered from there: then this
            one may not, and is not counted.
        """
        settings, now_ns = self._settings, self._now()
        burst, rate = settings.registration_burst, settings.registrations_per_minute
        network = network_of(address)
        left, at_ns = self._buckets.pop(network, (float(burst), now_ns))
        left = min(burst, left + (now_ns - at_ns) * rate / _NS_PER_MINUTE)
        wait_s = 0 if left >= 1 else math.ceil((1 - left) * 60 / rate)
        self._buckets[network] = (left - (wait_s == 0), now_ns)
        if len(self._buckets) > MAX_NETWORKS:
            self._buckets.popitem(last=False)
        return wait_s


class _Fresh(NamedTuple):
    registration_hash: bytes
    token_hash: bytes
    until_ns: int


class FreshNames:
    """Names that were registered just now, and whose token was not used yet."""

    def __init__(self, now: NowNs) -> None:
        self._now = now
        self._names: OrderedDict[str, _Fresh] = OrderedDict()

    def keep(self, name: str, registration: str | None, token_hash: bytes) -> None:
        """``name`` was registered, or its token made anew, by a hello with this registration."""
        before = self._names.pop(name, None)
        if registration is None:
            return
        until_ns = self._now() + FRESH_S * NS_PER_S if before is None else before.until_ns
        self._names[name] = _Fresh(hash_token(registration), token_hash, until_ns)
        if len(self._names) > MAX_FRESH:
            self._names.popitem(last=False)

    def forget(self, name: str) -> None:
        """The token of ``name`` has been used."""
        self._names.pop(name, None)

    def token_hash(self, name: str, registration: str | None) -> bytes | None:
        """The hash of the token that such a hello may have replaced; None if it may not."""
        fresh = self._names.get(name)
        if fresh is None or registration is None or self._now() >= fresh.until_ns:
            return None
        is_same = hmac.compare_digest(hash_token(registration), fresh.registration_hash)
        return fresh.token_hash if is_same else None
