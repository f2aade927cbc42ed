"""A session in an event loop: what is done with each message of one connection."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import anyio
from anyio.abc import TaskGroup

from polynya_client.aio.bot import Bot
from polynya_client.aio.connection import Connection
from polynya_client.aio.play import Play
from polynya_client.codec import Message
from polynya_client.errors import (
    BadFrame,
    ConnectionLost,
    ServerError,
    not_welcome,
    notice,
    printable,
)
from polynya_client.events import field, optional
from polynya_client.match import Match
from polynya_client.remarks import Remarks

logger = logging.getLogger("polynya_client")

_SILENT_HEARTBEATS = 3


class Session:
    """A bot on a connection, from ``hello`` to ``goodbye``.

    Attributes:
        name: what the server knows us by.
        token: set if this session registered the name.
    """

    def __init__(self, connection: Connection, bot: Bot) -> None:
        self.name: str | None = None
        self.token: str | None = None
        self._connection = connection
        self._bot = bot
        self._remarks = Remarks()
        self._plays: dict[str, Play] = {}

    async def introduce(self, hello: Mapping[str, Any], writing: TaskGroup) -> None:
        """Say hello, and take what the welcome says; frames are sent by a task in ``writing``.

        Raises:
            ServerError: the server refuses the bot.
            ConnectionLost: the connection broke.
            BadFrame: what answers there does not speak this protocol.
        """
        connection = self._connection
        writing.start_soon(connection.write)
        connection.send(hello)
        welcome = await self._welcome()
        self.name = optional(welcome, "bot", str)
        self.token = optional(welcome, "token", str)
        connection.patience = _SILENT_HEARTBEATS * field(welcome, "heartbeat_ms", int) / 1000
        connection.max_frame = field(welcome, "max_frame", int)

    async def _welcome(self) -> Message:
        try:
            while (message := await self._connection.receive())["type"] != "welcome":
                if message["type"] == "error":
                    self._error(message)
        except (BadFrame, ConnectionLost) as error:
            raise not_welcome(error) from error
        return message

    async def play(self) -> str:
        """Play all that the server asks for until it says goodbye; its reason.

        Raises:
            ConnectionLost, ServerError, BadFrame, BadMessage: as in the blocking SDK, in a group
                with all other errors of the matches' tasks.
        """
        async with anyio.create_task_group() as matches:
            while (message := await self._connection.receive())["type"] != "goodbye":
                self._handle(message, matches)
            for play in self._plays.values():
                play.abandon()
        return printable(optional(message, "reason", str) or "")

    def _handle(self, message: Message, matches: TaskGroup) -> None:
        """Act on a message; types and matches that we do not know are ignored."""
        match message["type"]:
            case "match_start" | "match_resume":
                match = Match(message, self._connection.send)
                play = Play(match, self._bot, self._connection, self._remarks)
                self._plays[play.match.id] = play
                matches.start_soon(play.run)
            case "ping":
                self._connection.send({"type": "pong", "nonce": message.get("nonce")})
            case "error":
                self._error(message)
            case "notice":
                logger.warning(notice(message))
            case "legal":
                if playing := self._plays.get(field(message, "match", str)):
                    playing.answer(message)
            case "turn" | "moved" | "forfeited" | "match_over":
                if playing := self._plays.get(field(message, "match", str)):
                    playing.happened(message, self._connection.arrived)
                if message["type"] == "match_over":
                    self._plays.pop(field(message, "match", str), None)

    def _error(self, message: Message) -> None:
        code = printable(field(message, "code", str))
        sentence = printable(field(message, "message", str))
        if message.get("fatal") is not False:
            raise ServerError(code, sentence)
        playing = self._plays.get(optional(message, "match", str) or "")
        if playing is None or not playing.answer(message):
            logger.warning("the server says %s: %s", code, sentence)


def cause(error: BaseException) -> BaseException:
    """The one exception to show for a group: the bot's own before those of the connection."""
    while isinstance(error, BaseExceptionGroup):
        error = min(error.exceptions, key=_weight)
    return error


def _weight(error: BaseException) -> int:
    if isinstance(error, anyio.get_cancelled_exc_class()):
        return 2
    return 1 if isinstance(error, ConnectionLost) else 0
