"""The path under which the pages stand behind a proxy, such as ``/contest``."""

from __future__ import annotations

import re

from starlette.datastructures import MutableHeaders
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BASE = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_COOKIE_PATH = re.compile(r"(; path=)(/)", re.IGNORECASE)


def check_base(base: str) -> None:
    """Refuse a path under which no pages can stand.

    Raises:
        ValueError: the sentence says what to write.
    """
    if not _BASE.fullmatch(base) or any(part in (".", "..") for part in base.split("/")):
        raise ValueError(
            f"base: {base!r} is not a path; write it with a slash before it and none after it, of "
            'letters, digits and - . _ ~, as in base = "/contest"'
        )


class BasePath:
    """Middleware that lets an application stand under a path without knowing of it.

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
