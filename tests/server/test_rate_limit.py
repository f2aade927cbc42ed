"""How often the peers of one network may do something."""

from __future__ import annotations

import pytest

from polynya_server.rate_limit import MAX_NETWORKS, RateLimit, network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
        ("2001:db8:1:3::", "2001:db8:1:3::"),
        ("fe80::1%eth0", "fe80::"),
        ("somewhere", "somewhere"),
    ],
)
def test_half_of_an_ipv6_address_is_one_place(address: str, network: str) -> None:
    assert network_of(address) == network


def test_networks_beyond_the_latest_ones_are_forgotten() -> None:
    limit = RateLimit(burst=1, per_minute=1, now=lambda: 0)
    for number in range(MAX_NETWORKS + 1):
        assert limit.spend(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}") == 0
    assert limit.spend("10.0.0.1") == 60
    assert limit.spend("10.0.0.0") == 0
