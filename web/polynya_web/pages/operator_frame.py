"""The common parts of the operator's pages: session, notices, answers that are not cached."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from polynya_common.reasons import Reason
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_web.http.operator_sessions import OperatorSession
from polynya_web.http.requests import Refused
from polynya_web.pages.rendering import page
from polynya_web.site import site_of


def operator_control(request: Request) -> OperatorControl:
    """The operator's rights.

    Raises:
        HTTPException: 404, there are no such pages here.
    """
    control = site_of(request).control
    if control is None:
        raise Refused(404, Reason.of("no_operator_pages"))
    return control


def operator_session(request: Request) -> OperatorSession:
    """The session of a request.

    Raises:
        HTTPException: 401, it has none.
    """
    session = site_of(request).sessions.of(request)
    if session is None:
        raise Refused(401, Reason.of("login_needed"))
    return session


def operator_page(
    request: Request, template: str, session: OperatorSession, **values: Any
) -> Response:
    """A page of a session, with the notices that are shown once."""
    notices, tokens = session.notices[:], session.tokens[:]
    session.notices.clear()
    session.tokens.clear()
    return private(
        page(
            request,
            template,
            section="operator",
            session=session,
            notices=notices,
            tokens=tokens,
            **values,
        )
    )


def private(response: Response) -> Response:
    """Mark an answer as not to be cached."""
    response.headers["cache-control"] = "no-store"
    return response


def to_page(path: str) -> Response:
    """Redirect to another page after a form."""
    return RedirectResponse(path, 303)
