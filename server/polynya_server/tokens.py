"""Tokens: 256 random bits that a bot shows to prove its name; only their SHA-256 is ever kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def new_token() -> str:
    """A new token: 256 random bits as 43 characters that need no escaping anywhere."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """What is kept of a token, 32 bytes.

    A slow hash guards passwords that people choose; against 256 random bits guessing is hopeless.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class TokenBook:
    """The registered names and the hashes of their tokens."""

    def __init__(self) -> None:
        self._hashes: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._hashes

    def add(self, name: str, token_hash: bytes) -> None:
        """Let the token with this hash prove ``name``, and no earlier one."""
        self.remove(name)
        self._hashes[name] = token_hash
        self._names[token_hash] = name

    def remove(self, name: str) -> None:
        """Let no token prove ``name``."""
        old = self._hashes.pop(name, None)
        if old is not None and self._names.get(old) == name:
            del self._names[old]

    def proves(self, token: str, name: str) -> bool:
        """Whether ``token`` is that of the registered ``name``; takes the same time if not."""
        return hmac.compare_digest(hash_token(token), self._hashes[name])

    def owner(self, token: str) -> str | None:
        """The bot whose token this is.

        Names are found by the hash of the token, so how long it takes tells nothing of a token.
        """
        return self._names.get(hash_token(token))
