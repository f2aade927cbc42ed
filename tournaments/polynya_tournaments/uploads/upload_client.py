"""The uploader's side: sends an archive to a server's pages, and asks what became of it."""

from __future__ import annotations

import http.client
import json
import secrets
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

from polynya_tournaments.errors import ConfigurationError
from polynya_tournaments.text import printable
from polynya_tournaments.uploads.errors import UploadError

_ANSWER_S: Final = 60.0
_UPLOAD_S: Final = 600.0
_LONGEST_ANSWER: Final = 2**24


@dataclass(frozen=True)
class UploadState:
    """How it stands with a version, as the server says.

    Attributes:
        version: of the bot.
        state: ``received``, ``building``, ``validating``, ``accepted``, ``refused``, ``disabled``.
        detail: why it was refused, a sentence; None otherwise.
        build_log: what building it printed; None before that.
    """

    version: str
    state: str
    detail: str | None
    build_log: str | None

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
        parts = urlsplit(server)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigurationError(
                f"--server: {printable(server)} is no address of web pages: "
                "write it as https://HOST or http://HOST:PORT"
            )
        self._server = server
        self._address = f"{server.rstrip('/')}/api/v1/bots/{quote(bot, safe='')}/versions"
        self._token = token

    def send(self, archive: bytes) -> UploadState:
        """Hand in a version.

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
        return _state(self._ask(_UPLOAD_S, body, {"Content-Type": kind}))

    def state(self, version: str) -> UploadState:
        """What became of a version.

        Raises:
            UploadError: the server does not know it, or does not answer.
        """
        for answer in self._ask(_ANSWER_S):
            state = _state(answer)
            if state.version == version:
                return state
        raise UploadError(f"{self._server} does not know the version {version} any more")

    def _ask(
        self, seconds: float, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Any:
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked
            self._address,
            data=body,
            headers={"Authorization": f"Bearer {self._token}", **(headers or {})},
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
                return json.loads(answer.read(_LONGEST_ANSWER))
        except urllib.error.HTTPError as error:
            raise UploadError(_sentence_of(error)) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise UploadError(f"{self._server} does not answer: {reason}") from error


def _sentence_of(error: urllib.error.HTTPError) -> str:
    """The reason that the server gave."""
    try:
        return printable(str(json.loads(error.read(_LONGEST_ANSWER))["error"]), 1_000)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return f"the server answered {error.code} {printable(str(error.reason))}"


def _state(answer: Any) -> UploadState:
    try:
        return UploadState(
            answer["version"], answer["state"], answer["detail"], answer["build_log"]
        )
    except (KeyError, TypeError) as error:
        raise UploadError("the server's answer is none that this version understands") from error
