"""The setting ``uploads.mirrors``: what its entries mean, and which addresses are public."""

from __future__ import annotations

import pytest

from polynya_common.errors import ConfigurationError
from polynya_tournaments.uploads.building.mirrors import Mirror, is_public, mirrors_of


@pytest.mark.parametrize(
    ("entry", "mirror"),
    [
        ("Index.Crates.io", Mirror("index.crates.io")),
        ("nexus.lan:8443", Mirror("nexus.lan", 8_443)),
        ("nexus.lan:8443=10.0.0.5", Mirror("nexus.lan", 8_443, "10.0.0.5")),
        ("nexus.lan=fd00::5", Mirror("nexus.lan", 443, "fd00::5")),
        ("10.0.0.5", Mirror("10.0.0.5", 443, "10.0.0.5")),
    ],
)
def test_an_entry_names_a_host_a_port_and_an_address(entry: str, mirror: Mirror) -> None:
    assert mirrors_of([entry]) == (mirror,)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("https://nexus.lan", "it is no host"),
        ("nexus.lan/pypi", "it is no host"),
        ("*.crates.io", "it is no host"),
        ("", "it is no host"),
        ("a" * 64 + ".lan", "it is no host"),
        ("nexus.lan:", "its port is not 1 to 65535"),
        ("nexus.lan:65536", "its port is not 1 to 65535"),
        ("nexus.lan:\u0665", "its port is not 1 to 65535"),
        ("nexus.lan=home", "home is no address"),
        ("nexus.lan=", " is no address"),
    ],
)
def test_a_mistake_is_said(entry: str, why: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"uploads.mirrors: .*; write 'registry.example'"
    ) as said:
        mirrors_of([entry])
    assert why in str(said.value)


def test_addresses_of_networks_of_its_own_are_not_public() -> None:
    private = (
        "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.31.0.1 192.168.1.1 "
        "224.0.0.1 255.255.255.255 ::1 :: fe80::1%eth0 fd00::1 ff02::1 ::ffff:127.0.0.1 "
        "::ffff:10.0.0.1 64:ff9b::a00:1 2002:7f00:1:: 2001:0:7f00:1::"
    )
    assert [address for address in private.split() if is_public(address)] == []


def test_other_addresses_are_public() -> None:
    public = "1.1.1.1 172.32.0.1 100.128.0.1 2606:4700::1111 ::ffff:1.1.1.1"

    assert [address for address in public.split() if not is_public(address)] == []
