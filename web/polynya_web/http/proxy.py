"""Pages behind a proxy: the path they stand under, and the client that the proxy names."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BASE = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_COOKIE_PATH = re.compile(r"(; path=)(/)", re.IGNORECASE)


def check_base(base: str) -> None:
    """Refuse an invalid base path.

    Raises:
        ValueError: the sentence says what to write.
    """
    if not _BASE.fullmatch(base) or any(part in (".", "..") for part in base.split("/")):
        raise ValueError(
            f"base: {base!r} is not a path; write it with a slash before it and none after it, of "
            'letters, digits and - . _ ~, as in base = "/contest"'
        )


class BasePath:
    """Middleware that serves an application under a base path.

    Requests may have the path or not: some proxies take it away. The application gets them with
    ``root_path`` (ASGI); its redirections and cookies, which name paths of its own, get the base.

    Args:
        app: the application.
        base: the path, as :func:`check_base` lets it pass; empty for none.
    """

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        base = self._base
        if scope["type"] != "http" or not base:
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        if path == base:
            await RedirectResponse(f"{base}/", 307)(scope, receive, send)
            return
        inside = path if path.startswith(f"{base}/") else base + path

        async def send_with_base(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._prefix(MutableHeaders(scope=message))
            await send(message)

        await self._app({**scope, "path": inside, "root_path": base}, receive, send_with_base)

    def _prefix(self, headers: MutableHeaders) -> None:
        location = headers.get("location", "")
        if location.startswith("/") and not location.startswith(f"{self._base}/"):
            headers["location"] = self._base + location
        cookies = headers.getlist("set-cookie")
        if cookies:
            del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", _COOKIE_PATH.sub(rf"\g<1>{self._base}\g<2>", cookie))


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
    """Middleware that replaces a trusted proxy's address by the client's.

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
        """The last address that is no trusted proxy: those before it may be forged."""
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
    """Parse an address from a proxy's header, with or without port; None if invalid."""
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
