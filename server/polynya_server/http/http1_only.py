"""HTTP/1.1 only: HTTP/2 without TLS is refused, both by its preface and as an upgrade.

One connection of HTTP/2 carries frames that cost their sender next to nothing and the loop of the
matches much (``HEADERS`` with ``RST_STREAM``). Browsers speak HTTP/2 over TLS only, which ends at
a proxy.
"""

from __future__ import annotations

import h11
from hypercorn.config import Config
from hypercorn.protocol.h11 import H11Protocol
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class Http1Config(Config):
    """The settings of a Hypercorn server that speaks HTTP/1.1 and nothing else."""


class Http1Only:
    """Middleware that refuses a request of another version, such as the preface of HTTP/2."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["http_version"] not in ("1.0", "1.1"):
            # Without "connection: close": Hypercorn would close at the rest of the preface, before
            # the answer is sent. As no request of HTTP/1.1 it ends the connection after it.
            answer = PlainTextResponse("this server speaks HTTP/1.1 only\n", 505)
        await answer(scope, receive, send)


_detect_other_protocol = H11Protocol._check_protocol


async def _detect_unless_http1_only(self: H11Protocol, event: h11.Request) -> None:
    """Hypercorn has no setting for this: go on with HTTP/1.1 where it would change to HTTP/2.

    An `Upgrade` may be ignored (RFC 9110, section 7.8).
    """
    if not isinstance(self.config, Http1Config):
        await _detect_other_protocol(self, event)


H11Protocol._check_protocol = _detect_unless_http1_only  # type: ignore[method-assign]
