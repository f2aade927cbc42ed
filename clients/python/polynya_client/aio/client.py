"""Run an asynchronous bot: connect, play, and come back after a lost connection."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Iterator, Mapping, Sequence

import trio

from polynya_client.aio.bot import Bot, Choose, FunctionBot
from polynya_client.aio.connection import connect
from polynya_client.aio.session import Session, cause
from polynya_client.client import backoff
from polynya_client.errors import ConnectionLost, ServerError, printable
from polynya_client.framelog import FrameLog, opened
from polynya_client.settings import Settings, read_settings
from polynya_client.uncaught import tell_in_a_sentence

logger = logging.getLogger("polynya_client")


async def run(
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

    Arguments, environment and errors are those of ``polynya_client.run``. Being cancelled says
    goodbye, which forfeits the matches at once.
    """
    tell_in_a_sentence()
    settings = read_settings(
        host=host, port=port, name=name, token=token, games=games, wants=wants,
        concurrency=concurrency, software=software, tls=tls, log=log,
    )  # fmt: skip
    player = bot if isinstance(bot, Bot) else FunctionBot(bot)
    with opened(settings.log, settings.name) as frame_log:
        await Client(player, settings, reconnect_seconds, frame_log).play()


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
        self._welcome = False

    async def play(self) -> None:
        """Play until the server says goodbye."""
        pauses: Iterator[float] = iter(())
        while True:
            self._welcome = False
            try:
                return await self._session()
            except ConnectionLost as lost:
                if self._token is None:
                    raise
                if self._welcome:
                    pauses = backoff(self._reconnect_seconds)
                pause = next(pauses, None)
                if pause is None:
                    raise
                logger.warning("%s; trying again in %.1f s", lost, pause)
            await trio.sleep(pause)

    async def _session(self) -> None:
        """One connection, from hello to goodbye."""
        settings = self._settings
        connection = await connect(settings.host, settings.port, settings.tls, self._log)
        session = Session(connection, self._bot)
        try:
            async with trio.open_nursery() as writing:
                await session.introduce(settings.hello(self._name, self._token), writing)
                self._remember(session)
                await session.play()
                writing.cancel_scope.cancel()
        except BaseException as group:
            error = cause(group)
            if isinstance(error, (KeyboardInterrupt, trio.Cancelled)):
                await connection.leave("the bot was interrupted")
                raise
            if not isinstance(error, (ConnectionLost, ServerError)):
                await connection.leave(f"the bot ended by {type(error).__name__}")
            raise error from error.__cause__
        finally:
            await connection.close()

    def _remember(self, session: Session) -> None:
        """Keep the name in force, and the token if it was registered just now: tell the author."""
        self._welcome = True
        self._name = session.name or self._name
        if session.token is not None:
            self._token = session.token
            logger.warning(
                "registered as %s; to use the name again, set POLYNYA_TOKEN=%s",
                printable(session.name or ""),
                printable(session.token),
            )
