"""Run an asynchronous bot: connect, play, and come back after a lost connection."""

from __future__ import annotations

import logging
import signal
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence

import anyio

from polynya_client.addresses import Servers
from polynya_client.aio.bot import Bot, Choose, FunctionBot
from polynya_client.aio.connection import Connection, connect
from polynya_client.aio.session import Session, cause
from polynya_client.errors import (
    ClientError,
    ConnectionLost,
    ServerError,
    farewell,
    tell_in_a_sentence,
)
from polynya_client.farewells import may_listen_to_sigterm, take_goodbye
from polynya_client.framelog import FrameLog, opened
from polynya_client.identity import Identity
from polynya_client.retries import Retries
from polynya_client.settings import Settings, read_settings

logger = logging.getLogger("polynya_client")


async def run(
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

    Arguments, environment and errors are those of ``polynya_client.run``. Being cancelled, Ctrl-C
    and SIGTERM say goodbye, which forfeits the matches at once; after a signal ``run`` returns, but
    asyncio lets Ctrl-C leave ``asyncio.run`` as a ``KeyboardInterrupt``.
    """
    tell_in_a_sentence()
    settings = read_settings(
        host=host, port=port, name=name, token=token, games=games, wants=wants,
        concurrency=concurrency, software=software, tls=tls, ca_file=ca_file, log=log,
        reconnect_seconds=reconnect_seconds,
    )  # fmt: skip
    player = bot if isinstance(bot, Bot) else FunctionBot(bot)
    with opened(settings.log, settings.name) as frame_log:
        await _until_stopped(Client(player, settings, frame_log).play)


class Client:
    """A bot with its settings, over as many connections as it takes."""

    def __init__(self, bot: Bot, settings: Settings, log: FrameLog | None) -> None:
        self._bot = bot
        self._settings = settings
        self._identity = Identity(settings)
        self._log = log
        self._retries = Retries(settings.reconnect_seconds)
        self._servers = Servers(settings.servers)

    async def play(self) -> None:
        """Play until the contest is over."""
        while True:
            try:
                return take_goodbye(await self._session())
            except ServerError as refused:
                if self._identity.is_mended(refused):
                    continue
                trouble: ClientError = refused
            except ConnectionLost as lost:
                trouble = lost
            self._servers.after(trouble)
            pause = self._retries.after(trouble)
            logger.warning("%s; trying again in %.1f s", trouble, pause)
            await anyio.sleep(pause)

    async def _connection(self) -> Connection:
        """A connection to the first server that answers.

        Raises:
            ConnectionLost: none does.
        """
        lost = []
        for address in self._servers.attempts():
            try:
                return await connect(address, self._servers.patience, self._settings.tls, self._log)
            except ConnectionLost as error:
                lost.append(error)
        raise ConnectionLost("; ".join(map(str, lost))) from lost[-1]

    async def _session(self) -> str:
        """One connection, from hello to goodbye; its reason."""
        connection = await self._connection()
        session = Session(connection, self._bot)
        try:
            async with anyio.create_task_group() as writing:
                await session.introduce(self._identity.hello(), writing)
                self._retries.welcome()
                self._servers.welcome()
                self._identity.welcome(session.name, session.token)
                await self._bot.connected(session.name)
                reason = await session.play()
                writing.cancel_scope.cancel()
        except BaseException as group:
            error = cause(group)
            if isinstance(error, (KeyboardInterrupt, anyio.get_cancelled_exc_class())):
                await connection.leave("the bot was interrupted")
                raise
            if not isinstance(error, (ConnectionLost, ServerError)):
                await connection.leave(farewell(error))
            await connection.close()
            if isinstance(error, ClientError):
                await self._bot.disconnected(str(error))
            raise error from error.__cause__
        finally:
            await connection.close()
        await self._bot.disconnected(reason)
        return reason


async def _until_stopped(play: Callable[[], Awaitable[None]]) -> None:
    """Play to the end, or until Ctrl-C or SIGTERM."""
    try:
        async with anyio.create_task_group() as tasks:
            if may_listen_to_sigterm():
                tasks.start_soon(_cancel_on_sigterm, tasks.cancel_scope)
            await play()
            tasks.cancel_scope.cancel()
    except BaseException as group:
        error = cause(group)
        if isinstance(error, anyio.get_cancelled_exc_class()):
            raise
        if not isinstance(error, KeyboardInterrupt):
            raise error from error.__cause__


async def _cancel_on_sigterm(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            scope.cancel()
            return
