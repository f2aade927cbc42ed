"""The origin of a request: the client's address, its encryption, the site of its form."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_web.http.refused import Refused


def address_of(request: Request) -> str:
    """The client's address, also behind a trusted proxy."""
    return request.client.host if request.client is not None else ""


def is_https(request: Request) -> bool:
    """Whether the browser speaks TLS: to us, or to a trusted proxy."""
    return request.url.scheme == "https"


def check_origin(request: Request) -> None:
    """Refuse a form that another site's page has sent.

    Browsers name the page's site in ``Origin``; programs, which carry no users' cookies, need not.

    Raises:
        HTTPException: 403.
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    foreign = origin is not None and _host_of(origin) != request.headers.get("host")
    if foreign or site not in ("same-origin", "none"):
        raise Refused(403, Reason.of("form_from_elsewhere"))


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
