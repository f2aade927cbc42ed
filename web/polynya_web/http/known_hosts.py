"""Checks the Host header against DNS rebinding: unknown names are refused.

A site of strangers can let its own name point to this machine; its scripts could then read and send
everything here that their browser may. The browser tells the name in `Host`.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
from collections.abc import Collection

import trio
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*", re.ASCII)
_LOOKUP_S = 1.0
"""Time limit for looking up the machine's full name."""


def plain_name(name: str) -> str:
    """A name as browsers send it: in small letters, in ASCII, without a final dot.

    Raises:
        ValueError: it is no name of a machine; the sentence says what to write.
    """
    try:
        plain = name.lower().removesuffix(".").encode("idna").decode("ascii")
    except UnicodeError:
        plain = ""
    if not _NAME.fullmatch(plain):
        raise ValueError(
            f"hosts: {name!r} is not a name; write it without 'https://' and without a port, "
            'as in hosts = ["contest.example"]'
        )
    return plain


async def own_names() -> frozenset[str]:
    """The names of this machine: its host name, the same in the local network, its full name."""
    own = socket.gethostname().lower()
    found = {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}
    with trio.move_on_after(_LOOKUP_S):
        try:
            flags = socket.AI_CANONNAME
            answers = await trio.socket.getaddrinfo(own, None, flags=flags)
        except OSError:
            answers = []
        found |= {answer[3].lower().removesuffix(".") for answer in answers}
    return frozenset(found - {""})


def is_known(host: str, names: Collection[str]) -> bool:
    """Whether a `Host` is an IP address, a name of loopback, or one of these names.

    A missing or empty one is known too: every browser sends it.
    """
    name = _without_port(host)
    if name in names or name in ("", "localhost") or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class KnownHosts:
    """Middleware that answers 421 to an unknown Host.

    Args:
        app: is asked otherwise.
        names: the known ones, as ``plain_name`` makes them.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        answer = self._app
        if scope["type"] == "http":
            host = Headers(scope=scope).get("host", "")
            if not is_known(host, self._names):
                answer = _refusal(
                    scope["path"].removeprefix(scope.get("root_path", "")), _without_port(host)
                )
        await answer(scope, receive, send)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().removesuffix(".")


def _refusal(path: str, name: str) -> Response:
    sentence = (
        f"these pages are not known under the name {json.dumps(name)}: ask for them under their "
        "IP address, or add the name to the settings of the pages, hosts = [...] in [web]"
    )
    if path.startswith("/api/"):
        return JSONResponse({"error": sentence}, 421)
    return PlainTextResponse(sentence + "\n", 421)
