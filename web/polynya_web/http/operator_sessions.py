"""The operator's logins: sessions that live in the server, named by a cookie.

A cookie holds 256 random bits, of which only the SHA-256 is kept. It is sent to our own pages only
(``SameSite=Strict``), and no script reads it (``HttpOnly``).
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

import trio
from starlette.requests import Request
from starlette.responses import Response

from polynya_common.reasons import Cause, Reason
from polynya_server import hash_token, new_token
from polynya_web.http.requests import Refused, is_https

COOKIE = "polynya_operator"
PATH = "/operator"
LASTS_S = 8 * 3600
IDLE_S = 3600
"""Lifetime of a session since login, and since its last use."""

MAX_SESSIONS = 100


@dataclass(frozen=True, slots=True)
class Notice:
    """The outcome of an action, for the next page.

    Attributes:
        kind: the end of the key of its text, or ``bad``.
        name: the subject's; of ``bad`` the sentence.
        count: how many things it was done to, None where that says nothing.
    """

    kind: str
    name: Cause = ""
    count: int | None = None


@dataclass(slots=True)
class OperatorSession:
    """One login.

    Attributes:
        csrf: what each form of this session carries.
        notices: what is shown on the next page, and never again.
        tokens: tokens of bots that are shown on the next page, and never again.
        ends: on trio's clock.
        used: when it was used last.
    """

    ends: float
    used: float
    csrf: str = field(default_factory=new_token)
    notices: list[Notice] = field(default_factory=list)
    tokens: list[tuple[str, str]] = field(default_factory=list)


class OperatorSessions:
    """The sessions of one site."""

    def __init__(self) -> None:
        self._open: OrderedDict[bytes, OperatorSession] = OrderedDict()

    def of(self, request: Request) -> OperatorSession | None:
        """The session that a request's cookie names, if it has not ended."""
        key = hash_token(request.cookies.get(COOKIE, ""))
        found = self._open.get(key)
        now = trio.current_time()
        if found is None:
            return None
        if now >= min(found.ends, found.used + IDLE_S):
            del self._open[key]
            return None
        found.used = now
        return found

    def open(self, request: Request, response: Response) -> None:
        """Begin a session; the response brings its cookie."""
        value, now = new_token(), trio.current_time()
        self._open[hash_token(value)] = OperatorSession(ends=now + LASTS_S, used=now)
        while len(self._open) > MAX_SESSIONS:
            self._open.popitem(last=False)
        response.set_cookie(
            COOKIE,
            value,
            max_age=LASTS_S,
            path=PATH,
            httponly=True,
            samesite="strict",
            secure=is_https(request),
        )

    def close(self, request: Request, response: Response) -> None:
        """End a session."""
        self._open.pop(hash_token(request.cookies.get(COOKIE, "")), None)
        response.delete_cookie(COOKIE, path=PATH)


def check_csrf(session: OperatorSession, form: Mapping[str, str]) -> None:
    """Refuse a form without this session's CSRF token.

    Raises:
        HTTPException: 403.
    """
    if not hmac.compare_digest(form.get("csrf", "").encode(), session.csrf.encode()):
        raise Refused(403, Reason.of("form_of_other_session"))
