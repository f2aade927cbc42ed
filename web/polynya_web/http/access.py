"""Access to what is not public: tokens, attempts to guess them, the origin of requests.

A token is 256 random bits, of which only the SHA-256 is kept; what is compared is compared in
constant time.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from polynya_server import hash_token
from polynya_tournaments.cli.serve_settings import is_loopback

ATTEMPTS = 5
SECONDS_EACH = 20.0
"""An address may show ``ATTEMPTS`` wrong tokens at once, and one more every ``SECONDS_EACH``."""

_MAX_ADDRESSES = 10_000
_NOBODYS_HASH = bytes(32)


def proves(token: str, token_hash: bytes | None) -> bool:
    """Whether a token is the one with this hash; takes the same time if there is none."""
    same = hmac.compare_digest(hash_token(token), token_hash or _NOBODYS_HASH)
    return same and token_hash is not None


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class TokenAttempts:
    """Counts wrong tokens by the address that they come from."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def check(self, request: Request) -> None:
        """Refuse an address that has shown too many wrong tokens.

        Raises:
            HTTPException: 429, with the seconds to wait.
        """
        bucket = self._bucket(request)
        if bucket is not None and bucket.left < 1:
            seconds = int(SECONDS_EACH * (1 - bucket.left)) + 1
            raise HTTPException(
                429,
                f"too many wrong tokens came from here; wait {seconds} s",
                {"retry-after": str(seconds)},
            )

    def failed(self, request: Request) -> None:
        """A wrong token came."""
        address = _address(request)
        bucket = self._bucket(request) or _Bucket(ATTEMPTS, trio.current_time())
        bucket.left -= 1
        self._buckets[address] = bucket
        self._buckets.move_to_end(address)
        while len(self._buckets) > _MAX_ADDRESSES:
            self._buckets.popitem(last=False)

    def _bucket(self, request: Request) -> _Bucket | None:
        """The attempts left to an address; None if it has shown no wrong token lately."""
        bucket = self._buckets.get(_address(request))
        if bucket is None:
            return None
        now = trio.current_time()
        bucket.left = min(ATTEMPTS, bucket.left + (now - bucket.at) / SECONDS_EACH)
        bucket.at = now
        return bucket


def _address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


def is_https(request: Request) -> bool:
    """Whether the browser speaks TLS: to us, or to a proxy on this machine that says so.

    The header of any other peer is ignored; a forged one would only make its own cookie stricter.
    """
    forwarded = request.headers.get("x-forwarded-proto") == "https"
    return request.url.scheme == "https" or (forwarded and is_loopback(_address(request)))


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
        raise HTTPException(403, "this form came from another site")


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
