"""The client behind a trusted proxy, as its headers name it; others are not believed."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def network(text: str) -> Network:
    """An address, or a network such as ``10.0.0.0/8``.

    Raises:
        ValueError: it is neither.
    """
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise ValueError(
            f"trusted_proxies: {text!r} is neither an IP address nor a network; write it as in "
            'trusted_proxies = ["127.0.0.1", "10.0.0.0/8"]'
        ) from None


class ForwardedClients:
    """Middleware: requests of trusted proxies are those of the clients that they speak for.

    Args:
        app: gets the request, with the client's address and scheme.
        trusted: the networks of the proxies.
    """

    def __init__(self, app: ASGIApp, trusted: Sequence[Network]) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "http" and self._trusts(_address((scope.get("client") or [""])[0])):
            headers = Headers(scope=scope)
            scope = {**scope, "client": self._client(scope, headers)}
            # The last one is what the nearest proxy says.
            proto = ",".join(headers.getlist("x-forwarded-proto")).rpartition(",")[2].strip()
            if proto in ("http", "https"):
                scope["scheme"] = proto
        await self._app(scope, receive, send)

    def _client(self, scope: Scope, headers: Headers) -> tuple[str, int]:
        """The last address that is none of a trusted proxy: those before it may be invented."""
        named = ",".join(headers.getlist("x-forwarded-for")).split(",")
        found: tuple[str, int] = tuple(scope["client"])
        for text in reversed(named):
            address = _address(text)
            if address is None:
                break
            found = (str(address), 0)
            if not self._trusts(address):
                break
        return found

    def _trusts(self, address: _Address | None) -> bool:
        return address is not None and any(address in network for network in self._trusted)


def _address(text: str) -> _Address | None:
    """An address as proxies write it, some with a port; None if it is none."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
