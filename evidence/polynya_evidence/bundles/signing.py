"""Signs and checks with Ed25519 (RFC 8032): the host's key in a file, public keys as base64."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING

from polynya_common.errors import ConfigurationError
from polynya_common.extras import require_packages
from polynya_protocol.errors import printable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_PUBLIC_BYTES = 32


def signing_key(file: Path) -> Ed25519PrivateKey:
    """Load the key from a PEM file; if there is no file, create it, readable by its owner only.

    Raises:
        ConfigurationError: it cannot be read or created, or is not an Ed25519 key.
        TournamentError: the package that signs is not installed.
    """
    require_packages("cryptography")
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return _loaded(file)
    except FileNotFoundError:
        return _made(file)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ConfigurationError(
            f"{file} holds no key to sign with: an Ed25519 private key in PEM form, without a "
            "password, is one"
        ) from error
    except OSError as error:
        raise ConfigurationError(f"the key {file} cannot be read: {error.strerror}") from error


def _loaded(file: Path) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise TypeError(type(key).__name__)
    return key


def _made(file: Path) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as written:
            written.write(pem)
            written.flush()
            os.fsync(written.fileno())
    except FileExistsError:
        return signing_key(file)  # another process created it first
    except OSError as error:
        raise ConfigurationError(f"the key {file} cannot be made: {error.strerror}") from error
    return key


def check_public_text(text: str) -> None:
    """Refuse text that is not a public key as ``public_text`` writes it.

    Raises:
        ConfigurationError: it is not 32 bytes in base64.
    """
    try:
        is_key = len(base64.b64decode(text, validate=True)) == _PUBLIC_BYTES
    except ValueError:
        is_key = False
    if not is_key:
        raise ConfigurationError(
            "a public key is 44 characters of base64, as 'polynya tournament keygen' prints it, "
            f"not {printable(text)!r}"
        )


def public_text(key: Ed25519PrivateKey) -> str:
    """The public half of a key: its 32 bytes in base64."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def is_signed(content: bytes, signature: bytes, public: str) -> bool:
    """Whether ``signature`` signs ``content`` by the key whose public half is given as text.

    Raises:
        TournamentError: the package that checks signatures is not installed.
    """
    require_packages("cryptography")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public, validate=True))
        key.verify(signature, content)
    except (ValueError, InvalidSignature):
        return False
    return True
