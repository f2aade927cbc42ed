"""Tokens of requests: a bound on wrong ones, and keys that stand for a bot's token on its pages.

Tokens and keys are 256 random bits. Only their SHA-256 is kept, and compared in constant time. A
key is for one bot and an hour.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from typing import Final, NamedTuple

import trio
from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_server import hash_token, new_token
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


LASTS_S: Final = 3_600
MAX_KEYS: Final = 1_000


class _Given(NamedTuple):
    bot: str
    token_hash: bytes
    ends: float


class OwnerKeys:
    """The keys of one site."""

    def __init__(self) -> None:
        self._given: OrderedDict[bytes, _Given] = OrderedDict()

    def give(self, bot: str, token_hash: bytes) -> str:
        """A new key for the owner of a bot, whose token has this hash."""
        key = new_token()
        ends = trio.current_time() + LASTS_S
        self._given[hash_token(key)] = _Given(bot, token_hash, ends)
        if len(self._given) > MAX_KEYS:
            self._given.popitem(last=False)
        return key

    def check(self, bot: str, key: str, token_hash: bytes | None) -> None:
        """Refuse a key that is not this bot's, or no longer good.

        Args:
            bot: the name of the bot.
            key: what the form has.
            token_hash: of the bot's token now: with another token its keys end.

        Raises:
            HTTPException: 403.
        """
        given = self._given.get(hash_token(key))
        if (
            given is None
            or (given.bot, given.token_hash) != (bot, token_hash)
            or trio.current_time() >= given.ends
        ):
            raise Refused(403, Reason.of("page_expired", bot=bot))
