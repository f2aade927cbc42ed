"""Registrations: new names whose `welcome` may be lost."""

from __future__ import annotations

import hmac
from collections import OrderedDict
from typing import Final, NamedTuple

from polynya_server.sessions.tokens import hash_token
from polynya_server.timing.monotonic_clock import NS_PER_S, NowNs

MAX_FRESH: Final = 10_000
"""Number of names whose registration is remembered; the latest ones."""

FRESH_S: Final = 600
"""How long a name can be asked for once more (wire contract, "A lost `welcome`")."""


class _Fresh(NamedTuple):
    registration_hash: bytes
    token_hash: bytes
    until_ns: int


class FreshNames:
    """Names that were registered just now, and whose token was not used yet."""

    def __init__(self, now: NowNs) -> None:
        self._now = now
        self._names: OrderedDict[str, _Fresh] = OrderedDict()

    def keep(self, name: str, registration: str | None, token_hash: bytes) -> None:
        """``name`` was registered, or its token made anew, by a hello with this registration."""
        before = self._names.pop(name, None)
        if registration is None:
            return
        until_ns = self._now() + FRESH_S * NS_PER_S if before is None else before.until_ns
        self._names[name] = _Fresh(hash_token(registration), token_hash, until_ns)
        if len(self._names) > MAX_FRESH:
            self._names.popitem(last=False)

    def forget(self, name: str) -> None:
        """The token of ``name`` has been used."""
        self._names.pop(name, None)

    def token_hash(self, name: str, registration: str | None) -> bytes | None:
        """The hash of the token that such a hello may have replaced; None if it may not."""
        fresh = self._names.get(name)
        if fresh is None or registration is None or self._now() >= fresh.until_ns:
            return None
        is_same = hmac.compare_digest(hash_token(registration), fresh.registration_hash)
        return fresh.token_hash if is_same else None
