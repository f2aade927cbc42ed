"""Limits how often the peers of one network may do something, by a token bucket per network."""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict
from typing import Final

from polynya_server.timing.monotonic_clock import NS_PER_S, NowNs

MAX_NETWORKS: Final = 10_000
"""Number of networks counted at a time; the least recent is dropped."""

_PREFIX_V6: Final = 64
"""Prefix length of the IPv6 network that a provider gives one customer."""

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


class RateLimit:
    """Limits how often each network may do one thing.

    Args:
        burst: how often at once.
        per_minute: how often a minute in the long run.
        now: the server's clock.
    """

    def __init__(self, burst: int, per_minute: int, now: NowNs) -> None:
        self._burst = burst
        self._per_minute = per_minute
        self._now = now
        self._buckets: OrderedDict[str, tuple[float, int]] = OrderedDict()  # latest use last

    def spend(self, address: str) -> int:
        """Count one use by an address.

        Returns:
            0 if it is allowed; else it is not counted, and this is the number of seconds after
            which the address may try again at the earliest.
        """
        now_ns, network = self._now(), network_of(address)
        left, at_ns = self._buckets.pop(network, (float(self._burst), now_ns))
        left = min(self._burst, left + (now_ns - at_ns) * self._per_minute / _NS_PER_MINUTE)
        wait_s = 0 if left >= 1 else math.ceil((1 - left) * 60 / self._per_minute)
        self._buckets[network] = (left - (wait_s == 0), now_ns)
        if len(self._buckets) > MAX_NETWORKS:
            self._buckets.popitem(last=False)
        return wait_s
