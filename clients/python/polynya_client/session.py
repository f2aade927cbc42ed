"""A session: what the bot does with each message of one connection."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from polynya_client import events
from polynya_client.bot import Bot
from polynya_client.codec import Message
from polynya_client.connection import Connection
from polynya_client.errors import (
    BadFrame,
    BadTurn,
    ConnectionLost,
    ServerError,
    TurnLost,
    farewell,
    not_welcome,
    notice,
    printable,
)
from polynya_client.events import Legal, Steps, field, optional
from polynya_client.keepalive import KeepAlive
from polynya_client.match import Match
from polynya_client.remarks import Remarks, move, whole_numbers
from polynya_client.turn import Turn

logger = logging.getLogger("polynya_client")

_SILENT_HEARTBEATS = 3


class Session:
    """A bot on a connection, from ``hello`` to ``goodbye``.

    Attributes:
        name: what the server knows us by.
        token: set if this session registered the name.
    """

    def __init__(self, connection: Connection, bot: Bot, hello: Mapping[str, Any]) -> None:
        self._connection = connection
        self._bot = bot
        self._matches: dict[str, Match] = {}
        self._remarks = Remarks()
        self._put_off: deque[tuple[Message, float]] = deque()
        with ExitStack() as unless_welcome:
            unless_welcome.callback(connection.close)
            welcome = self._introduce(hello)
            self.name: str | None = optional(welcome, "bot", str)
            self.token: str | None = optional(welcome, "token", str)
            self._heartbeat = field(welcome, "heartbeat_ms", int) / 1000
            connection.max_frame = field(welcome, "max_frame", int)
            connection.patience(_SILENT_HEARTBEATS * self._heartbeat)
            unless_welcome.pop_all()

    def play(self) -> str:
        """Play whatever the server asks for until it says goodbye, then hang up; its reason.

        Matches that are going on when the bot itself fails are forfeited by the goodbye.

        Raises:
            ConnectionLost: the connection broke.
            ServerError: the server refused something for good.
            BadFrame, BadMessage: the server does not speak this protocol.
        """
        keep_alive = KeepAlive(self._connection, self._heartbeat)
        try:
            return self._play()
        except (ConnectionLost, ServerError):
            raise
        except BaseException as error:
            self._connection.leave(farewell(error))
            raise
        finally:
            keep_alive.close()
            self._connection.close()

    def _play(self) -> str:
        while True:
            message, arrived = self._next()
            if message["type"] == "goodbye":
                return printable(optional(message, "reason", str) or "")
            self._handle(message, arrived)

    def _introduce(self, hello: Mapping[str, Any]) -> Message:
        """Say hello; the server's welcome."""
        self._connection.send(hello)
        try:
            while (message := self._connection.receive())["type"] != "welcome":
                if message["type"] == "error":
                    self._error(message)
        except (BadFrame, ConnectionLost) as error:
            raise not_welcome(error) from error
        return message

    def _next(self) -> tuple[Message, float]:
        """The next message and when it arrived; those put off come first."""
        if self._put_off:
            return self._put_off.popleft()
        message = self._connection.receive()
        return message, self._connection.arrived

    def _handle(self, message: Message, arrived: float) -> None:
        """Act on a message; types and matches that we do not know are ignored."""
        match message["type"]:
            case "match_start" | "match_resume":
                self._begin(message)
            case "ping":
                self._pong(message)
            case "error":
                self._error(message)
            case "notice":
                logger.warning(notice(message))
            case "turn" | "moved" | "forfeited" | "match_over" as kind:
                playing = self._matches.get(field(message, "match", str))
                if playing is None:
                    return
                playing.follow(message)
                if kind == "turn":
                    self._turn(playing, message, arrived)
                else:
                    self._event(playing, message)

    def _begin(self, message: Message) -> None:
        playing = Match(message, self._connection.send)
        self._matches[playing.id] = playing
        self._bot.match_start(playing)
        if not playing.resumed:  # a bot that has come back counts as ready
            self._connection.send({"type": "ready", "match": playing.id})

    def _event(self, playing: Match, message: Message) -> None:
        match message["type"]:
            case "moved":
                self._bot.moved(playing, events.read_moved(message))
            case "forfeited":
                forfeited = events.read_forfeited(message)
                if forfeited.seat == playing.seat and not playing.resigned:
                    logger.warning(
                        "match %s forfeited (%s): %s",
                        printable(playing.id),
                        printable(forfeited.reason),
                        printable(forfeited.detail),
                    )
                self._bot.forfeited(playing, forfeited)
            case "match_over":
                del self._matches[playing.id]
                self._bot.match_over(playing, events.read_match_over(message))

    def _turn(self, playing: Match, message: Message, arrived: float) -> None:
        turn = Turn(playing, message, arrived, self._legal_after)
        try:
            steps = self._bot.turn(turn)
        except TurnLost as lost:
            logger.warning("no move for turn %d of match %s: %s", turn.number, playing.id, lost)
            return
        if not playing.resigned:
            self._move(turn, steps)

    def _move(self, turn: Turn, steps: Steps) -> None:
        if not isinstance(steps, (list, tuple)) or not steps:
            raise BadTurn(
                f'the bot gave {steps!r} as its turn: give a list of steps, [["move", 12, 40]]'
            )
        self._connection.send(move(turn, steps, self._remarks))

    def _legal_after(self, turn: Turn, steps: Steps) -> Legal:
        """Ask which steps may follow; everything else that arrives meanwhile is put off."""
        about = {"match": turn.match.id, "turn": turn.number}
        self._connection.send({"type": "steps", **about, "steps": whole_numbers(steps)})
        while True:
            message = self._connection.receive()
            ours = message.get("match") == turn.match.id
            match message["type"]:
                case "legal" if ours and message.get("turn") == turn.number:
                    return events.read_legal(message)
                case "ping":
                    self._pong(message)
                    continue
                case "error" if ours and self._is_answer(turn, message):
                    raise TurnLost(printable(field(message, "message", str)))
            self._put_off.append((message, self._connection.arrived))
            if self._ends_turn(turn, message):
                raise TurnLost(f"it ended by {printable(message['type'])}")

    @staticmethod
    def _is_answer(turn: Turn, error: Message) -> bool:
        """Whether an error about our match is about this turn, not about an earlier one."""
        return error.get("fatal") is not True and error.get("turn") in (None, turn.number)

    @staticmethod
    def _ends_turn(turn: Turn, message: Message) -> bool:
        """Whether nobody will answer what we asked about ``turn`` any more."""
        match message["type"]:
            case "goodbye":
                return True
            case "error":
                return message.get("fatal") is True
            case "match_over":
                return message.get("match") == turn.match.id
            case "forfeited":
                same = message.get("match") == turn.match.id
                return same and message.get("seat") == turn.match.seat
        return False

    def _pong(self, message: Message) -> None:
        self._connection.send({"type": "pong", "nonce": message.get("nonce")})

    def _error(self, message: Message) -> None:
        code = printable(field(message, "code", str))
        sentence = printable(field(message, "message", str))
        if message.get("fatal") is not False:
            raise ServerError(code, sentence)
        logger.warning("the server says %s: %s", code, sentence)
