"""A listening socket and one bot process that is told to connect to it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import trio

from polynya_tournaments.bots.bot_process import BotLog, run_bot
from polynya_tournaments.bots.supervised_process import Address
from polynya_tournaments.config.builtin_bots import BotCommand
from polynya_tournaments.conformance.peer import Broken, Peer

HOST = "127.0.0.1"
NAME = "checked-bot"
_LAST_WORDS_S = 0.5


@dataclass
class _Process:
    """What is known of the process.

    Attributes:
        ended: set when it has ended.
        code: its exit code then.
    """

    ended: trio.Event
    code: int | None = None


class BotHost:
    """A bot under test and the address that it was given.

    Attributes:
        token: what it was given as POLYNYA_TOKEN; None if it was given none.
    """

    def __init__(self, listener: trio.SocketListener, token: str | None, log: BotLog) -> None:
        self.token = token
        self._listener = listener
        self._log = log
        self._process = _Process(trio.Event())
        self._peers: list[Peer] = []

    async def connection(self, seconds: float) -> Peer | None:
        """The bot's next connection; None if it makes none in this time, or has ended."""
        found: Peer | None = None

        async def accept() -> None:
            nonlocal found
            found = Peer(await self._listener.accept())
            self._peers.append(found)
            nursery.cancel_scope.cancel()

        async def ended() -> None:
            await self._process.ended.wait()
            nursery.cancel_scope.cancel()

        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(accept)
                nursery.start_soon(ended)
        return found

    async def first_connection(self, seconds: float) -> Peer:
        """The bot's first connection.

        Raises:
            Broken: R7, if it makes none in this time, or ends instead.
        """
        peer = await self.connection(seconds)
        if peer is None:
            raise Broken(
                "R7", f"{self.state(seconds)} and did not connect{await self.last_words()}"
            )
        return peer

    def state(self, seconds: float) -> str:
        """Whether the bot has ended, or how long it ran: the beginning of a sentence."""
        if self._process.ended.is_set():
            return f"it ended with exit code {self._process.code}"
        return f"it ran for {seconds:g} s"

    async def last_words(self) -> str:
        """What it wrote last, as the end of a sentence; one that is ending may finish first."""
        with trio.move_on_after(_LAST_WORDS_S):
            await self._process.ended.wait()
        lines = self._log.last_lines()
        return f"; it wrote: {' | '.join(lines)}" if lines else ""

    async def hang_up(self) -> None:
        """Close all connections."""
        for peer in self._peers:
            await peer.close()

    async def run(self, command: BotCommand, environment: Mapping[str, str]) -> None:
        """Run the bot to its end."""
        self._process.code = await run_bot(NAME, command, environment, self._log)
        self._process.ended.set()


@asynccontextmanager
async def hosted(command: BotCommand, with_token: bool = True) -> AsyncIterator[BotHost]:
    """A bot that has been started; it is gone afterwards.

    Args:
        command: how it is started.
        with_token: whether it is given a token, like the bots of a tournament.

    Raises:
        RunError: it cannot be started.
    """
    token = secrets.token_urlsafe(32) if with_token else None
    [listener] = await trio.open_tcp_listeners(0, host=HOST)
    environment = Address(HOST, listener.socket.getsockname()[1]).environment(NAME, token or "")
    if token is None:
        del environment["POLYNYA_TOKEN"]
    log = BotLog(None)
    host = BotHost(listener, token, log)
    try:
        with (
            TemporaryDirectory() as state
        ):  # the tokens that the author's bots keep stay as they are
            environment["XDG_STATE_HOME"] = state
            async with listener, trio.open_nursery() as nursery:
                nursery.start_soon(host.run, command, environment)
                yield host
                nursery.cancel_scope.cancel()
    finally:
        await host.hang_up()
        log.close()
