"""As whom a bot plays: the name and token in force, and where the token is kept."""

from __future__ import annotations

import dataclasses
import logging
import secrets
from typing import Any

from polynya_client.errors import ServerError, printable, tell_connected
from polynya_client.settings import Settings
from polynya_client.tokens import keep_token

logger = logging.getLogger("polynya_client")


class Identity:
    """The name and token of a bot, from one session to the next."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._registration = secrets.token_hex(16)

    def hello(self) -> dict[str, Any]:
        """The message that introduces the bot now."""
        settings = self._settings
        return settings.hello(settings.name, settings.token, self._registration)

    def welcome(self, name: str | None, token: str | None) -> None:
        """Take what a welcome says; a token that is new is kept, and the author is told where."""
        self._settings = dataclasses.replace(self._settings, name=name or self._settings.name)
        tell_connected(self._settings.name or "")
        if token is None:
            return
        self._settings = dataclasses.replace(self._settings, token=token, token_is_kept=False)
        registered, file = printable(self._settings.name or ""), self._settings.token_file
        try:
            assert file is not None  # noqa: S101 - settings that were read have one
            keep_token(file, token)
        except OSError as error:
            logger.warning(
                "registered as %s; %s, so keep the token yourself: POLYNYA_TOKEN=%s",
                registered,
                error,
                printable(token),
            )
        else:
            logger.warning("registered as %s; the token is kept in %s", registered, file)

    def is_mended(self, refused: ServerError) -> bool:
        """Whether it may help to introduce ourselves anew: the kept token is of another server."""
        if refused.code != "unauthorized" or not self._settings.token_is_kept:
            return False
        logger.warning("the token in %s is not good here", self._settings.token_file)
        self._settings = dataclasses.replace(self._settings, token=None, token_is_kept=False)
        return True
