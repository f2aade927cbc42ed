"""Keys that stand for a bot's token on its pages: each for one bot and an hour.

A key is 256 random bits. Only its SHA-256 is kept, and compared in constant time.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, NamedTuple

import trio

from polynya_common.reasons import Reason
from polynya_server import hash_token, new_token
from polynya_web.http.requests import Refused

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
