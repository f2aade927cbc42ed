"""Tokens: 256 random bits that a bot shows to prove its name; only their SHA-256 is ever kept.

A registration whose `welcome` was lost can be repeated for some time (:class:`FreshNames`).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import OrderedDict
from typing import Final, NamedTuple

from polynya_protocol.names import folded
from polynya_server.timing.monotonic_clock import NS_PER_S, NowNs

MAX_FRESH: Final = 10_000
"""Number of names whose registration is remembered; the oldest is dropped."""

FRESH_S: Final = 600
"""Period in which a registration can be repeated (wire contract, "A lost `welcome`")."""


def new_token() -> str:
    """A new token: 256 random bits as 43 characters that need no escaping anywhere."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """The stored hash of a token, 32 bytes.

    Passwords that people choose need a slow hash; guessing 256 random bits is hopeless anyway.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class Identity(NamedTuple):
    """The bot that a token proves, and which of its processes has the token.

    Attributes:
        name: the bot's.
        instance: 1, except for the further processes of a bot that a host starts several times.
    """

    name: str
    instance: int = 1


class TokenBook:
    """The registered names and the hashes of their tokens."""

    def __init__(self) -> None:
        self._hashes: dict[str, dict[int, bytes]] = {}
        self._identities: dict[bytes, Identity] = {}
        self._versions: dict[Identity, str] = {}
        self._by_letters: dict[str, list[str]] = {}  # the names, by their case-folded form

    def __contains__(self, name: str) -> bool:
        return name in self._hashes

    def add(
        self, name: str, token_hash: bytes, instance: int = 1, version: str | None = None
    ) -> None:
        """Let the token with this hash prove ``name``.

        Args:
            name: the bot's.
            token_hash: see :func:`hash_token`.
            instance: the process of the bot that gets the token. The token of process 1 replaces
                all earlier ones of the bot; that of a further process is added to them.
            version: the bot's version in this process; None if only its hello says it.
        """
        if instance == 1:
            self.remove(name)
        identity = Identity(name, instance)
        self._versions.pop(identity, None)
        if version is not None:
            self._versions[identity] = version
        if name not in self._hashes:
            self._by_letters.setdefault(folded(name), []).append(name)
        self._hashes.setdefault(name, {})[instance] = token_hash
        self._identities[token_hash] = identity

    def remove(self, name: str) -> None:
        """Revoke all tokens of ``name``."""
        if name in self._hashes:
            alike = self._by_letters[folded(name)]
            alike.remove(name)
            if not alike:
                del self._by_letters[folded(name)]
        for instance, old in self._hashes.pop(name, {}).items():
            self._versions.pop(Identity(name, instance), None)
            if self._identities[old].name == name:
                del self._identities[old]

    def version(self, identity: Identity) -> str | None:
        """The bot's version in a process, if its host knows it."""
        return self._versions.get(identity)

    def like(self, name: str) -> str | None:
        """The registered name that differs from ``name`` only in case, or None."""
        alike = self._by_letters.get(folded(name), [])
        return next((other for other in alike if other != name), None)

    def has(self, name: str, token_hash: bytes) -> bool:
        """Whether the bot's own token is the one with this hash."""
        return self._hashes.get(name, {}).get(1) == token_hash

    def proves(self, token: str, name: str) -> Identity | None:
        """The process of the bot ``name`` with this ``token``, or None if it has none such."""
        given = hash_token(token)
        found = [
            Identity(name, instance)
            for instance, known in self._hashes[name].items()
            if hmac.compare_digest(given, known)
        ]
        return found[0] if found else None

    def owner(self, token: str) -> Identity | None:
        """The bot that owns this token.

        It is looked up by the token's hash, so its timing reveals nothing about tokens.
        """
        return self._identities.get(hash_token(token))


class _Fresh(NamedTuple):
    registration_hash: bytes
    token_hash: bytes
    until_ns: int


class FreshNames:
    """Remembers recently registered names whose token has not been used yet."""

    def __init__(self, now: NowNs) -> None:
        self._now = now
        self._names: OrderedDict[str, _Fresh] = OrderedDict()

    def keep(self, name: str, registration: str | None, token_hash: bytes) -> None:
        """Remember that a hello with this registration registered or renewed ``name``."""
        before = self._names.pop(name, None)
        if registration is None:
            return
        until_ns = self._now() + FRESH_S * NS_PER_S if before is None else before.until_ns
        self._names[name] = _Fresh(hash_token(registration), token_hash, until_ns)
        if len(self._names) > MAX_FRESH:
            self._names.popitem(last=False)

    def forget(self, name: str) -> None:
        """Forget ``name``: its token has been used."""
        self._names.pop(name, None)

    def token_hash(self, name: str, registration: str | None) -> bytes | None:
        """Hash of the token that a hello with this registration may replace, or None."""
        fresh = self._names.get(name)
        if fresh is None or registration is None or self._now() >= fresh.until_ns:
            return None
        is_same = hmac.compare_digest(hash_token(registration), fresh.registration_hash)
        return fresh.token_hash if is_same else None
