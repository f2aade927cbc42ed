"""What proxies say of their clients counts only if the proxy is trusted."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from polynya_web.http.proxy import ForwardedClients, network
from polynya_web.settings import WebSettings

LOOPBACK = ("127.0.0.0/8", "::1")


async def seen(peer: str, trusted: tuple[str, ...], **headers: str) -> tuple[str, str]:
    """The client's address and the scheme that the pages see."""
    found: list[Scope] = []

    async def application(scope: Scope, _receive: Receive, _send: Send) -> None:
        found.append(scope)

    async def unused(*_: Any) -> Any:
        raise AssertionError

    lines = [
        (name.replace("_", "-").encode(), value.encode())
        for name, values in headers.items()
        for value in values.split(";")
    ]
    scope = {"type": "http", "client": (peer, 50_000), "scheme": "http", "headers": lines}
    middleware = ForwardedClients(application, [network(text) for text in trusted])
    await middleware(scope, unused, unused)
    return found[0]["client"][0], found[0]["scheme"]


@pytest.mark.parametrize(
    ("said", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("192.0.2.1:443", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("198.51.100.9, 192.0.2.1", "192.0.2.1"),
        ("198.51.100.9;192.0.2.1", "192.0.2.1"),
        ("192.0.2.1, 127.0.0.1", "192.0.2.1"),
        ("192.0.2.1, unknown", "127.0.0.1"),
        ("", "127.0.0.1"),
    ],
)
async def test_last_address_that_is_no_trusted_proxy_is_the_client(said: str, client: str) -> None:
    assert await seen("127.0.0.1", LOOPBACK, x_forwarded_for=said) == (client, "http")


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
async def test_proxy_on_this_machine_is_trusted_unless_set(peer: str) -> None:
    trusted = WebSettings().trusted_proxies
    said = {"x_forwarded_for": "192.0.2.1", "x_forwarded_proto": "https"}
    assert await seen(peer, trusted, **said) == ("192.0.2.1", "https")


async def test_other_peer_cannot_speak_for_clients() -> None:
    said = {"x_forwarded_for": "192.0.2.1", "x_forwarded_proto": "https"}
    assert await seen("198.51.100.9", LOOPBACK, **said) == ("198.51.100.9", "http")


async def test_proxies_in_the_settings_are_trusted_instead() -> None:
    trusted = ("10.0.0.0/8",)
    assert await seen("10.1.2.3", trusted, x_forwarded_for="192.0.2.1") == ("192.0.2.1", "http")
    assert await seen("127.0.0.1", trusted, x_forwarded_for="192.0.2.1") == ("127.0.0.1", "http")


@pytest.mark.parametrize("text", ["", "proxy.example", "10.0.0.1/8", "10.0.0.0/33"])
def test_settings_refuse_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r"trusted_proxies: .* is neither an IP address"):
        WebSettings(trusted_proxies=(text,))
