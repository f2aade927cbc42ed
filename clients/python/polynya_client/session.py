"""A session: one thread receives, answers pings and ends searches; the bot has another."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import ExitStack
from typing import Any

from polynya_client.bot import Bot
from polynya_client.codec import Message
from polynya_client.connection import Connection
from polynya_client.errors import (
    BadFrame,
    ClientError,
    ConnectionLost,
    ServerError,
    farewell,
    not_welcome,
    notice,
    printable,
)
from polynya_client.events import field, optional
from polynya_client.match import Match
from polynya_client.play import Play
from polynya_client.remarks import Remarks
from polynya_client.worker import OneWorker, WorkerForEach, Workers

logger = logging.getLogger("polynya_client")

_SILENT_HEARTBEATS = 3


class Session:
    """A bot on a connection, from ``hello`` to ``goodbye``.

    Attributes:
        name: what the server knows us by.
        token: set if this session registered the name.
    """

    def __init__(self, connection: Connection, hello: Mapping[str, Any]) -> None:
        self._connection = connection
        self._remarks = Remarks()
        with ExitStack() as unless_welcome:
            unless_welcome.callback(connection.close)
            welcome = self._introduce(hello)
            self.name: str | None = optional(welcome, "bot", str)
            self.token: str | None = optional(welcome, "token", str)
            connection.max_frame = field(welcome, "max_frame", int)
            heartbeat = field(welcome, "heartbeat_ms", int) / 1000
            connection.patience(_SILENT_HEARTBEATS * heartbeat)
            unless_welcome.pop_all()

    def play(self, bot: Bot) -> str:
        """Play with one bot, in this thread, until the server says goodbye; its reason.

        Matches that are going on when the bot itself fails are forfeited by our goodbye.

        Raises:
            ConnectionLost: the connection broke.
            ServerError: the server refused something for good.
            BadFrame, BadMessage: the server does not speak this protocol.
            Exception: what the bot raised.
        """
        worker = OneWorker()
        received: Future[str] = Future()
        threading.Thread(
            target=self._receive_into, args=(worker, received), name="polynya-receiver", daemon=True
        ).start()
        try:
            worker.work(bot)
        except ConnectionLost:
            pass  # the receiving thread knows better why
        except BaseException as error:
            self._connection.leave(farewell(error))
            raise
        finally:
            self._connection.hang_up()
            wait([received])
            self._connection.close()
        return received.result()

    def leave(self, reason: str) -> None:
        """Say goodbye, unless that has been done, and close the connection."""
        self._connection.leave(reason)
        self._connection.hang_up()
        self._connection.close()

    def play_each(self, make: Callable[[], Bot]) -> str:
        """Play each match with a bot of its own, in a thread of its own; as ``play`` otherwise."""
        workers = WorkerForEach(make, self._connection)
        try:
            reason = self._receive_all(workers)
        except BaseException as error:
            if workers.failure is None and not isinstance(error, ClientError):
                self._connection.leave(farewell(error))
            if workers.failure is not None:
                raise workers.failure from None
            raise
        finally:
            self._connection.hang_up()
            self._connection.close()
        workers.join()
        return reason

    def _receive_into(self, workers: Workers, received: Future[str]) -> None:
        try:
            received.set_result(self._receive_all(workers))
        except BaseException as error:  # it is raised in the bot's thread
            received.set_exception(error)

    def _receive_all(self, workers: Workers) -> str:
        """Receive until the server says goodbye; its reason."""
        router = _Router(self._connection, workers, self._remarks)
        try:
            while (message := self._connection.receive())["type"] != "goodbye":
                router.handle(message, self._connection.arrived)
            return printable(optional(message, "reason", str) or "")
        except (ConnectionLost, ServerError):
            raise
        except ClientError as error:
            self._connection.leave(farewell(error))
            raise
        finally:
            router.end()

    def _introduce(self, hello: Mapping[str, Any]) -> Message:
        """Say hello; the server's welcome."""
        self._connection.send(hello)
        try:
            while (message := self._connection.receive())["type"] != "welcome":
                if message["type"] == "error":
                    report(message)
        except (BadFrame, ConnectionLost) as error:
            raise not_welcome(error) from error
        return message


class _Router:
    """Gives each message to the match that it belongs to."""

    def __init__(self, connection: Connection, workers: Workers, remarks: Remarks) -> None:
        self._connection = connection
        self._workers = workers
        self._remarks = remarks
        self._plays: dict[str, Play] = {}

    def handle(self, message: Message, arrived: float) -> None:
        """Act on a message; types and matches that we do not know are ignored."""
        match message["type"]:
            case "match_start" | "match_resume":
                self._begin(message)
            case "ping":
                self._connection.send({"type": "pong", "nonce": message.get("nonce")})
            case "error":
                self._error(message)
            case "notice":
                logger.warning(notice(message))
            case "legal":
                if playing := self._plays.get(field(message, "match", str)):
                    playing.answer(message)
            case "turn" | "moved" | "forfeited" | "match_over" as kind:
                playing = self._plays.get(field(message, "match", str))
                if playing is None:
                    return
                playing.happened(message, arrived)
                if kind == "match_over":
                    del self._plays[playing.match.id]
                    self._workers.over(playing.tasks)

    def end(self) -> None:
        """Stop waiting for the bot."""
        for playing in self._plays.values():
            playing.abandon("it ended by goodbye, or a lost connection")
        self._workers.end()

    def _begin(self, message: Message) -> None:
        match = Match(message, self._connection.send)
        if before := self._plays.pop(match.id, None):
            before.abandon("the match begins again")
            self._workers.over(before.tasks)
        tasks = self._workers.begin()
        self._plays[match.id] = Play(match, tasks, self._connection, self._remarks)

    def _error(self, message: Message) -> None:
        playing = self._plays.get(str(message.get("match")))
        if message.get("fatal") is False and playing and playing.answer(message):
            return
        report(message)


def report(message: Message) -> None:
    """Tell the author of an error that is not fatal.

    Raises:
        ServerError: it is.
    """
    code = printable(field(message, "code", str))
    sentence = printable(field(message, "message", str))
    if message.get("fatal") is not False:
        raise ServerError(code, sentence)
    logger.warning("the server says %s: %s", code, sentence)
