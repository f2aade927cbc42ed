"""Where a database is: the path of a file, or the URL of one on a PostgreSQL server."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl, unquote, urlencode

from polynya_common.errors import ConfigurationError, StoreError

_HOW = "give the path of a file, or postgresql://USER@HOST/NAME"
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)
_POSTGRESQL = ("postgresql", "postgres")
_KEYWORDS = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|service)\s*=", re.ASCII)
_SECRETS = (
    *("password", "sslpassword", "scram_client_key", "scram_server_key"),
    "oauth_client_secret",
)


@dataclass(frozen=True)
class DatabaseUrl:
    """The URL of a PostgreSQL database; as text it is without its password.

    Attributes:
        secret: the whole URL as libpq reads it, to connect with; never shown.
    """

    secret: str = field(repr=False)

    def __str__(self) -> str:
        user, hosts, path, query = _parts(self.secret)
        shown = [(key, value) for key, value in parse_qsl(query) if key not in _SECRETS]
        asked = f"?{urlencode(shown, safe='/,:@')}" if shown else ""
        who = "" if user is None else f"{user.partition(':')[0]}@"
        return f"postgresql://{who}{hosts}{path}{asked}"

    @property
    def name(self) -> str:
        """The name of the database, in characters that a file name may have."""
        named = unquote(_parts(self.secret)[2]).strip("/")
        return re.sub(r"[^A-Za-z0-9_.-]", "_", named).strip(".") or "polynya"


DatabaseAddress: TypeAlias = Path | DatabaseUrl


def _parts(url: str) -> tuple[str | None, str, str, str]:
    """User and password, hosts, path, and query of a URL, as it is written.

    As libpq divides it: by another rule a piece of the password could be taken for a host.
    """
    behind = url.partition("://")[2]
    user, at, rest = behind.partition("@")
    has_user = bool(at) and "/" not in user
    place, _, query = (rest if has_user else behind).partition("?")
    hosts, slash, name = place.partition("/")
    return (user if has_user else None), hosts, slash + name, query


def database_address(text: str) -> DatabaseAddress:
    """The address that the host wrote: a URL if it begins like one, else a path.

    Raises:
        ConfigurationError: a URL of another kind, or an unreadable URL. The message holds
            nothing that could be a password.
    """
    found = _URL.match(text)
    if found is None:
        if text.startswith(tuple(f"{kind}:" for kind in _POSTGRESQL)):
            raise ConfigurationError(f"the URL of a database has two slashes: {_HOW}")
        if _KEYWORDS.match(text):
            raise ConfigurationError(f"the database is named by libpq's keywords: {_HOW}")
        return Path(text)
    kind = found[1]
    if kind not in _POSTGRESQL:
        raise ConfigurationError(f"{kind}:// is no kind of database that Polynya knows; {_HOW}")
    _check_url(text)
    return DatabaseUrl(text)


def _check_url(text: str) -> None:
    """Refuse here what libpq would refuse with a piece of the password in its message."""
    behind = text.partition("://")[2]
    userinfo = behind.rpartition("@")[0]
    query = behind.partition("?")[2]
    if re.search(r"[/?#@]", userinfo) and ("@" not in query or not _is_query(query)):
        raise ConfigurationError(
            "the user or the password in the URL of the database has one of / ? # @: "
            "write it as %2F, %3F, %23 or %40, or keep the password in ~/.pgpass"
        )
    if re.search(r"%(?![0-9A-Fa-f]{2})|%00", text):
        raise ConfigurationError(
            "the URL of the database has a % without two hexadecimal digits behind it: write %25"
        )
    if not text.isprintable() or " " in text:
        raise ConfigurationError("the URL of the database has a space or a control code in it")


def _is_query(text: str) -> bool:
    return all("=" in item for item in text.split("&"))


def resolved_address(text: str, folder: Path) -> str:
    """The database that a file in ``folder`` names, with a path made absolute.

    Raises:
        ConfigurationError: as for :func:`database_address`.
    """
    address = database_address(text)
    return text if isinstance(address, DatabaseUrl) else str(folder / address.expanduser())


def address_text(address: DatabaseAddress) -> str:
    """The address from any folder, with all that is needed to connect: never for people's eyes."""
    return address.secret if isinstance(address, DatabaseUrl) else str(address.absolute())


def beside(address: DatabaseAddress, suffix: str) -> Path:
    """The file or folder ``NAME`` and a suffix beside a file; of a URL, in the working folder."""
    if isinstance(address, DatabaseUrl):
        return Path.cwd() / f"{address.name}{suffix}"
    return Path(f"{str(address).removesuffix('.sqlite')}{suffix}")


def make_folder(address: DatabaseAddress) -> None:
    """Make the folder of a database's file if it is not there; not those above it.

    Raises:
        StoreError: it cannot be made; the message names it.
    """
    if isinstance(address, DatabaseUrl):
        return
    try:
        address.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {address.parent} cannot be made: {error.strerror}") from error
