"""The tokens in requests: whether one is right, and how many wrong ones a network may send.

A token is 256 random bits. Only its SHA-256 is kept, and compared in constant time.
"""

from __future__ import annotations

import hmac

from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_server import hash_token
from polynya_server.rate_limit import RateLimit
from polynya_server.timing.monotonic_clock import reader
from polynya_web.http.requests import Refused, address_of

ATTEMPTS = 5
ATTEMPTS_PER_MINUTE = 3
"""Wrong tokens that a network may send at once, and in the long run."""

_BEARER = "bearer "
_NOBODYS_HASH = bytes(32)


def proves(token: str, token_hash: bytes | None) -> bool:
    """Whether a token is the one with this hash; takes the same time if there is none."""
    same = hmac.compare_digest(hash_token(token), token_hash or _NOBODYS_HASH)
    return same and token_hash is not None


class TokenAttempts:
    """Counts wrong tokens by the network that they come from.

    A right token is not counted, and opens however many wrong ones came.
    """

    def __init__(self) -> None:
        self._limit = RateLimit(ATTEMPTS, ATTEMPTS_PER_MINUTE, reader())

    def check_bot(self, request: Request, bot: str, token: str, token_hash: bytes | None) -> None:
        """Refuse a token that is not this bot's.

        Raises:
            HTTPException: 403, it is not; 429, too many wrong ones came from there.
        """
        if not proves(token, token_hash):
            self.failed(request)
            raise Refused(403, Reason.of("wrong_token", bot=bot))

    def failed(self, request: Request) -> None:
        """Count a request's wrong token.

        Raises:
            HTTPException: 429 with the seconds to wait, too many came from there.
        """
        wait_s = self._limit.spend(address_of(request))
        if wait_s:
            raise Refused(
                429,
                Reason.of("too_many_wrong_tokens", seconds=wait_s),
                {"retry-after": str(wait_s)},
            )


def bearer_token(request: Request, needed: Reason) -> str:
    """The token in the header of a request; ``needed`` says which one it should be.

    Raises:
        HTTPException: 401, there is none.
    """
    given = request.headers.get("authorization", "")
    if not given.lower().startswith(_BEARER):
        raise Refused(
            401,
            needed,
            {"www-authenticate": "Bearer"},
        )
    return given[len(_BEARER) :].strip()
