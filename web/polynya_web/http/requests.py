"""The origin of a request (address, encryption, site of its form), and its refusal."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

from polynya_common.reasons import Cause, Reason


class Refused(HTTPException):
    """A request that is refused with a status code.

    Attributes:
        cause: why, for the page or the API.
    """

    def __init__(
        self, status_code: int, cause: Cause, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(status_code, str(cause), headers)
        self.cause = cause


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
