"""The uploader's client: sends an archive to a server's pages, and asks for its state."""

from __future__ import annotations

import http.client
import json
import secrets
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from polynya_common.errors import ConfigurationError
from polynya_protocol.errors import printable
from polynya_tournaments.uploads.errors import UploadError

_ANSWER_S: Final = 60.0
_UPLOAD_S: Final = 600.0
_LONGEST_ANSWER: Final = 2**24
_TRIES: Final = 3


@dataclass(frozen=True)
class UploadState:
    """The state of a version, as the server reports it.

    Attributes:
        version: of the bot.
        state: ``received``, ``building``, ``validating``, ``accepted``, ``refused``, ``disabled``.
        detail: why it was refused, a sentence; None otherwise.
        build_log: what building it printed; None where it was not asked for.
        match: the last match of its validation, as text; None where it was not asked for.
    """

    version: str
    state: str
    detail: str | None
    build_log: str | None
    match: str | None

    @property
    def decided(self) -> bool:
        """Whether the server is done with it."""
        return self.state not in {"received", "building", "validating"}


class UploadClient:
    """Speaks with the pages of a server for one bot.

    Args:
        server: the address of the pages, as ``https://HOST`` or ``http://HOST:PORT/PATH``.
        bot: the bot's name.
        token: what proves that it is one's own.

    Raises:
        ConfigurationError: the address is none.
    """

    def __init__(self, server: str, bot: str, token: str) -> None:
        self._server = server
        bots = _api(server, "/bots")
        self._address = f"{bots}/{quote(bot, safe='')}/versions"
        self._headers = {"Authorization": f"Bearer {token}"}

    def send(self, archive: bytes) -> UploadState:
        """Upload a version.

        Raises:
            UploadError: the server refuses it, or does not answer; the message says why.
        """
        boundary = secrets.token_hex(16)
        body = b"".join(
            [
                f"--{boundary}\r\n".encode(),
                b'Content-Disposition: form-data; name="archive"; filename="archive"\r\n',
                b"Content-Type: application/octet-stream\r\n\r\n",
                archive,
                f"\r\n--{boundary}--\r\n".encode(),
            ]
        )
        kind = f"multipart/form-data; boundary={boundary}"
        return _state(self._ask("", _UPLOAD_S, body, {"Content-Type": kind}))

    def state(self, version: str, *, log: bool = False) -> UploadState:
        """The state of a version; with ``log`` also its log and its match, which are long.

        Raises:
            UploadError: the server does not know it, or does not answer.
        """
        query = {"version": version} | ({"log": "true"} if log else {})
        for answer in self._ask(f"?{urlencode(query)}", _ANSWER_S):
            return _state(answer)
        raise UploadError(f"{self._server} does not know the version {version} any more")

    def use(self, version: str) -> UploadState:
        """Let the bot play an accepted version.

        Raises:
            UploadError: the server refuses it, or does not answer.
        """
        return _state(self._ask(f"/use?{urlencode({'version': version})}", _ANSWER_S, b""))

    def remove(self, version: str) -> UploadState:
        """Let the server keep nothing of a version but its name.

        Raises:
            UploadError: the server refuses it, or does not answer.
        """
        return _state(self._ask(f"/remove?{urlencode({'version': version})}", _ANSWER_S, b""))

    def _ask(
        self,
        path: str,
        seconds: float,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        address = f"{self._address}{path}"
        return _ask(self._server, address, seconds, body, self._headers | (headers or {}))


def register(server: str, bot: str, registration: str) -> str:
    """Register a new name; gives its token.

    An answer that is lost on its way is asked for again, which ``registration`` allows.

    Args:
        server: the address of the pages.
        bot: the name.
        registration: secret words.

    Raises:
        ConfigurationError: the address is none.
        UploadError: the server refuses it, or does not answer; the message says why.
    """
    body = urlencode({"name": bot, "registration": registration}).encode()
    address = _api(server, "/bots")
    for _ in range(_TRIES - 1):
        with suppress(UnansweredError):
            return str(_ask(server, address, _ANSWER_S, body, {})["token"])
    return str(_ask(server, address, _ANSWER_S, body, {})["token"])


class UnansweredError(UploadError):
    """The server does not answer: it may have done what it was asked."""


def _api(server: str, path: str) -> str:
    parts = urlsplit(server)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigurationError(
            f"--server: {printable(server)} is no address of web pages: "
            "write it as https://HOST or http://HOST:PORT"
        )
    return f"{server.rstrip('/')}/api/v1{path}"


def _ask(
    server: str, address: str, seconds: float, body: bytes | None, headers: dict[str, str]
) -> Any:
    request = urllib.request.Request(address, data=body, headers=headers)  # noqa: S310 - checked
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
            return json.loads(answer.read(_LONGEST_ANSWER))
    except urllib.error.HTTPError as error:
        raise UploadError(_sentence_of(error, len(body or b""))) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        ended = isinstance(error, http.client.RemoteDisconnected)
        if isinstance(error, http.client.BadStatusLine) and not ended:
            raise UploadError(
                f"what answers at {printable(server)} are no web pages: --server takes the address "
                "of the pages (--web-port of the server), not the port of the bots"
            ) from error
        reason = printable(str(getattr(error, "reason", error)))
        raise UnansweredError(f"{server} does not answer: {reason}") from error


def _sentence_of(error: urllib.error.HTTPError, sent: int) -> str:
    """The reason that the server gave, or a proxy's limit that ``sent`` bytes exceed."""
    try:
        return printable(str(json.loads(error.read(_LONGEST_ANSWER))["error"]), 1_000)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        pass
    if error.code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        proxy = printable(error.headers.get("Server") or "a proxy", 100)
        return (
            f"{proxy} before the server refuses the upload for its {sent:,} bytes (413): it is the "
            "proxy's limit, not Polynya's; its host can raise it, in nginx by client_max_body_size"
        )
    return f"the server answered {error.code} {printable(str(error.reason))}"


def _state(answer: Any) -> UploadState:
    try:
        return UploadState(
            answer["version"],
            answer["state"],
            answer["detail"],
            answer["build_log"],
            answer["match"],
        )
    except (KeyError, TypeError) as error:
        raise UploadError("the server's answer is none that this version understands") from error
