"""Run a bot: connect, play, and come back after a lost connection."""

from __future__ import annotations

import contextlib
import logging
import ssl
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

from polynya_client.bot import Bot, Choose, FunctionBot
from polynya_client.connection import connect
from polynya_client.errors import ConnectionLost, printable
from polynya_client.framelog import FrameLog, opened
from polynya_client.session import Session
from polynya_client.settings import Settings, read_settings
from polynya_client.uncaught import tell_in_a_sentence

logger = logging.getLogger("polynya_client")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_INTERRUPTED = 130


def run(
    bot: Choose | Bot,
    *,
    name: str | None = None,
    games: Sequence[str] | None = None,
    wants: Sequence[str] = ("state", "legal"),
    concurrency: int = 1,
    host: str | None = None,
    port: int | None = None,
    token: str | None = None,
    software: Mapping[str, str] | None = None,
    tls: bool | ssl.SSLContext = False,
    log: str | None = None,
    reconnect_seconds: float = 60,
) -> None:
    """Play on a server until it says goodbye.

    ``POLYNYA_HOST``, ``POLYNYA_PORT``, ``POLYNYA_TOKEN``, ``POLYNYA_NAME``, ``POLYNYA_TLS`` (1 or
    0) and ``POLYNYA_LOG`` in the environment win over the arguments, so that a tournament can
    start any bot unchanged.

    The bot runs in the calling thread, and pings wait while it thinks; another thread lets the
    server know that it is still there. An exception in the bot says goodbye to the server, which
    forfeits its matches at once, and then leaves ``run``.

    Args:
        bot: a function from a turn to its steps, or an object with hooks.
        name: 1 to 32 of ``A-Za-z0-9_.-``; may be left out with a token.
        games: the games it plays; None for any.
        wants: what the server adds: ``state`` and ``legal`` in each turn, ``moved`` for our own.
        concurrency: how many matches it plays at the same time, one turn after the other.
        host: the server's; 127.0.0.1 by default.
        port: the server's.
        token: what proves that the name is ours.
        software: ``name``, ``version`` of the bot, for the records; each version has a rating of
            its own, and there is none unless it is given.
        tls: encrypt, and verify the server's certificate; or a context that does.
        log: a file for all messages sent and received as JSON lines, ``-`` for standard error.
        reconnect_seconds: how long to try to come back after a lost connection; a bot without a
            token cannot.

    The errors below, if nobody catches them, end the program with a sentence and exit code 1.

    Raises:
        BadSettings: the arguments and the environment do not say where to connect.
        ConnectionLost: the server is not there (any more).
        ServerError: the server refused this bot; the message says what to do about it.
        BadFrame, BadMessage: what answers there does not speak this protocol.
    """
    tell_in_a_sentence()
    settings = read_settings(
        host=host, port=port, name=name, token=token, games=games, wants=wants,
        concurrency=concurrency, software=software, tls=tls, log=log,
    )  # fmt: skip
    player = bot if isinstance(bot, Bot) else FunctionBot(bot)
    try:
        with opened(settings.log, settings.name) as frame_log:
            Client(player, settings, reconnect_seconds, frame_log).play()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


class Client:
    """A bot with its settings, over as many connections as it takes."""

    def __init__(
        self, bot: Bot, settings: Settings, reconnect_seconds: float, log: FrameLog | None
    ) -> None:
        self._bot = bot
        self._settings = settings
        self._name = settings.name
        self._token = settings.token
        self._log = log
        self._reconnect_seconds = reconnect_seconds

    def play(self) -> str:
        """Play until the server says goodbye; its reason."""
        session = self._connect()
        while True:
            try:
                return session.play()
            except ConnectionLost as lost:
                if self._token is None:
                    raise
                session = self._come_back(lost)

    def _connect(self) -> Session:
        settings = self._settings
        connection = connect(settings.host, settings.port, settings.tls, self._log)
        session = Session(connection, self._bot, settings.hello(self._name, self._token))
        self._remember(session)
        return session

    def _come_back(self, lost: ConnectionLost) -> Session:
        """A new session in place of one that was lost; it takes over what is still going on.

        Raises:
            ConnectionLost: ``lost`` itself, when the server stays away for too long.
        """
        for pause in backoff(self._reconnect_seconds):
            logger.warning("%s; trying again in %.1f s", lost, pause)
            time.sleep(pause)
            with contextlib.suppress(ConnectionLost):
                return self._connect()
        raise lost

    def _remember(self, session: Session) -> None:
        """Keep the name in force, and the token if it was registered just now: tell the author."""
        self._name = session.name or self._name
        if session.token is not None:
            self._token = session.token
            logger.warning(
                "registered as %s; to use the name again, set POLYNYA_TOKEN=%s",
                printable(session.name or ""),
                printable(session.token),
            )


def backoff(total: float) -> Iterator[float]:
    """Pauses between attempts in seconds: doubling from 0.1 to 5, ``total`` together."""
    pause = min(_FIRST_PAUSE, total)
    while total > 0:
        yield pause
        total -= pause
        pause = min(pause * 2, _LONGEST_PAUSE, total)
