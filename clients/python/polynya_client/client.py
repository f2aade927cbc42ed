"""Run a bot: connect, play, and come back after a lost connection."""

from __future__ import annotations

import logging
import ssl
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from polynya_client.addresses import Servers
from polynya_client.bot import Bot, Choose, FunctionBot
from polynya_client.connection import Connection, connect
from polynya_client.errors import (
    ClientError,
    ConnectionLost,
    ServerError,
    Stopped,
    farewell,
    tell_in_a_sentence,
)
from polynya_client.farewells import stopped_by_sigterm, take_goodbye
from polynya_client.framelog import FrameLog, opened
from polynya_client.identity import Identity
from polynya_client.retries import Retries
from polynya_client.session import Session
from polynya_client.settings import Settings, read_settings

logger = logging.getLogger("polynya_client")


def run(
    bot: Choose | Bot,
    *,
    name: str | None = None,
    games: Sequence[str] | str | None = None,
    wants: Sequence[str] | str = ("state", "legal"),
    concurrency: int = 1,
    host: str | None = None,
    port: int | None = None,
    token: str | None = None,
    software: Mapping[str, str] | None = None,
    tls: bool | ssl.SSLContext = False,
    ca_file: str | None = None,
    log: str | None = None,
    reconnect_seconds: float = 60,
) -> None:
    """Play on a server until the contest is over, and come back to it until then.

    ``POLYNYA_HOST``, ``POLYNYA_PORT``, ``POLYNYA_TOKEN``, ``POLYNYA_TOKEN_FILE``, ``POLYNYA_NAME``,
    ``POLYNYA_GAMES`` (separated by commas), ``POLYNYA_CONCURRENCY``, ``POLYNYA_TLS`` (1 or 0),
    ``POLYNYA_CA_FILE``, ``POLYNYA_RECONNECT`` (seconds, or ``forever``) and ``POLYNYA_LOG`` in the
    environment win over the arguments, so that a tournament can start any bot unchanged.

    A name that is new to the server is registered, and its token kept for the next start, in the
    file that ``POLYNYA_TOKEN_FILE`` names or in the user's state folder. Ctrl-C and SIGTERM say
    goodbye and end the program with exit code 0.

    The bot runs in the calling thread. Another one receives, answers pings, and sets
    ``turn.cancelled`` when a search is not wanted any more. An exception in the bot says goodbye to
    the server, which forfeits its matches at once, and then leaves ``run``.

    Args:
        bot: a function from a turn to its steps, or an object with hooks.
        name: 1 to 32 of ``A-Za-z0-9_.-``; may be left out with a token.
        games: the games it plays, in a list or separated by commas; None for any.
        wants: what the server adds: ``state`` and ``legal`` in each turn, ``moved`` for our own.
        concurrency: how many matches it plays at the same time, one turn after the other;
            ``run_each`` has a thread for each.
        host: the server's; 127.0.0.1 by default. Several servers of one contest are tried in turn:
            ``HOST,HOST:PORT,[IPV6]:PORT``.
        port: the server's, where ``host`` names none.
        token: what proves that the name is ours.
        software: ``name``, ``version`` of the bot, for the records; each version has a rating of
            its own, and there is none unless it is given.
        tls: encrypt, and verify the server's certificate; or a context that does.
        ca_file: the authorities to verify it by, in PEM; those of the system by default.
        log: a file for all messages sent and received as JSON lines, ``-`` for standard error.
        reconnect_seconds: how long to try when the server is not there, has no room, or has said
            goodbye without meaning it for good; ``math.inf`` for ever.

    The errors below end a program that does not catch them, with a sentence and an exit code: 75
    for ``GaveUp``, 76 for ``Replaced``, else 1.

    Raises:
        BadSettings: the arguments and the environment do not say where to connect.
        GaveUp: the server was not there, or had no room, for all that time.
        Replaced: another process plays as this bot now.
        ServerError: the server refused this bot; the message says what to do about it.
        BadFrame, BadMessage: what answers there does not speak this protocol.
    """
    tell_in_a_sentence()
    settings = read_settings(
        host=host, port=port, name=name, token=token, games=games, wants=wants,
        concurrency=concurrency, software=software, tls=tls, ca_file=ca_file, log=log,
        reconnect_seconds=reconnect_seconds,
    )  # fmt: skip
    player = as_bot(bot)
    _run(settings, lambda session: session.play(player), player)


def run_each(  # noqa: D417 - the other arguments are those of ``run``
    make: Callable[[], Choose | Bot],
    *,
    name: str | None = None,
    games: Sequence[str] | str | None = None,
    wants: Sequence[str] | str = ("state", "legal"),
    concurrency: int = 1,
    host: str | None = None,
    port: int | None = None,
    token: str | None = None,
    software: Mapping[str, str] | None = None,
    tls: bool | ssl.SSLContext = False,
    ca_file: str | None = None,
    log: str | None = None,
    reconnect_seconds: float = 60,
) -> None:
    """The same with a bot of its own for each match, in a thread of its own.

    For several matches that do not wait for each other, and for searches that cannot be cancelled:
    a bot that goes on after its match does not hold up the next. Python computes in one thread at a
    time, so what gains are bots whose work is done by libraries or other programs.

    Args:
        make: makes a bot for a match; it is called in the match's thread. The other arguments are
            those of ``run``; the hooks ``connected`` and ``disconnected`` are not called.

    Raises:
        ClientError, Exception: as from ``run``; the first exception of a bot ends all.
    """
    tell_in_a_sentence()
    settings = read_settings(
        host=host, port=port, name=name, token=token, games=games, wants=wants,
        concurrency=concurrency, software=software, tls=tls, ca_file=ca_file, log=log,
        reconnect_seconds=reconnect_seconds,
    )  # fmt: skip
    _run(settings, lambda session: session.play_each(lambda: as_bot(make())), Bot())


def as_bot(bot: Choose | Bot) -> Bot:
    """A function as a bot, and a bot as it is."""
    return bot if isinstance(bot, Bot) else FunctionBot(bot)


def _run(settings: Settings, play: Callable[[Session], str], hooks: Bot) -> None:
    try:
        with opened(settings.log, settings.name) as frame_log, stopped_by_sigterm():
            Client(play, hooks, settings, frame_log).play()
    except (KeyboardInterrupt, Stopped):
        sys.exit(0)


class Client:
    """A bot with its settings, over as many connections as it takes.

    Args:
        play: plays a session to its end; the reason of the goodbye.
        hooks: is told of sessions.
        settings: where to connect, and as whom.
        log: where all messages are written.
    """

    def __init__(
        self,
        play: Callable[[Session], str],
        hooks: Bot,
        settings: Settings,
        log: FrameLog | None,
    ) -> None:
        self._play = play
        self._hooks = hooks
        self._settings = settings
        self._identity = Identity(settings)
        self._log = log
        self._retries = Retries(settings.reconnect_seconds)
        self._servers = Servers(settings.servers)

    def play(self) -> None:
        """Play until the contest is over."""
        while True:
            try:
                return take_goodbye(self._session())
            except ServerError as refused:
                if self._identity.is_mended(refused):
                    continue
                trouble: ClientError = refused
            except ConnectionLost as lost:
                trouble = lost
            self._servers.after(trouble)
            pause = self._retries.after(trouble)
            logger.warning("%s; trying again in %.1f s", trouble, pause)
            time.sleep(pause)

    def _connection(self) -> Connection:
        """A connection to the first server that answers.

        Raises:
            ConnectionLost: none does.
        """
        lost = []
        for address in self._servers.attempts():
            try:
                return connect(address, self._servers.patience, self._settings.tls, self._log)
            except ConnectionLost as error:
                lost.append(error)
        raise ConnectionLost("; ".join(map(str, lost))) from lost[-1]

    def _session(self) -> str:
        """One connection, from hello to goodbye; its reason."""
        session = Session(self._connection(), self._identity.hello())
        try:
            self._retries.welcome()
            self._servers.welcome()
            self._identity.welcome(session.name, session.token)
            self._hooks.connected(session.name)
            reason = self._play(session)
        except ClientError as error:
            self._hooks.disconnected(str(error))
            raise
        except BaseException as error:
            session.leave(farewell(error))  # an interrupt may come at any moment
            raise
        self._hooks.disconnected(reason)
        return reason
