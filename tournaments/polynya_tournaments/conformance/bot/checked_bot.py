"""A socket and the processes of one bot that are told to connect to it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from polynya_tournaments.bots.bot_process import BotLog, run_bot
from polynya_tournaments.bots.child_process import Child
from polynya_tournaments.bots.supervised_process import Address
from polynya_tournaments.config.builtin_bots import BotCommand
from polynya_tournaments.conformance.peer import Broken, Peer

HOST = "127.0.0.1"
NAME = "checked-bot"
_LAST_WORDS_S = 0.5
_STOPS_S = 3.0


@dataclass
class _Process:
    """What is known of a process.

    Attributes:
        ended: set when it has ended.
        code: its exit code then.
        handle: for signals to it, when it has been started.
    """

    ended: trio.Event = field(default_factory=trio.Event)
    code: int | None = None
    handle: Child | None = None

    async def run(self, command: BotCommand, environment: dict[str, str], log: BotLog) -> None:
        """Run the bot to its end."""
        self.code = (await run_bot(NAME, command, environment, log, self._started)).code
        self.ended.set()

    def _started(self, handle: Child) -> None:
        self.handle = handle


class BotHost:
    """A bot under test and the address that it was given.

    Attributes:
        token: what it was given as POLYNYA_TOKEN; None if it was given none.
    """

    def __init__(
        self,
        door: trio.socket.SocketType,
        token: str | None,
        log: BotLog,
        run: Callable[[_Process], None],
    ) -> None:
        self.token = token
        self._door = door
        self._log = log
        self._run = run
        self._processes: list[_Process] = []
        self._peers: list[Peer] = []

    def open(self) -> None:
        """Take connections from now on; until then they are refused."""
        self._door.listen()

    def start(self) -> None:
        """Start the bot: one more process, with the address, name and token of the others."""
        self._processes.append(_Process())
        self._run(self._processes[-1])

    def ask_to_end(self) -> None:
        """Send SIGTERM to all processes."""
        for process in self._processes:
            if process.handle is not None and not process.ended.is_set():
                process.handle.ask_to_end()

    async def stop(self) -> None:
        """End all processes, by force those that do not end in time."""
        self.ask_to_end()
        with trio.move_on_after(_STOPS_S):
            await self._ended()
        for process in self._processes:
            if process.handle is not None and not process.ended.is_set():
                process.handle.kill()
        await self._ended()

    async def connection(self, seconds: float) -> Peer | None:
        """The bot's next connection; None if it makes none in this time, or has ended."""
        found: Peer | None = None

        async def accept() -> None:
            nonlocal found
            found = Peer(await trio.SocketListener(self._door).accept())
            self._peers.append(found)
            nursery.cancel_scope.cancel()

        async def ended() -> None:
            await self._ended()
            nursery.cancel_scope.cancel()

        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(accept)
                nursery.start_soon(ended)
        return found

    async def _ended(self) -> None:
        """Return when no process is left."""
        for process in self._processes:
            await process.ended.wait()

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
        latest = self._processes[-1]
        if latest.ended.is_set():
            return f"it ended with exit code {latest.code}"
        return f"it ran for {seconds:g} s"

    async def last_words(self) -> str:
        """What it wrote last, as the end of a sentence; one that is ending may finish first."""
        with trio.move_on_after(_LAST_WORDS_S):
            await self._processes[-1].ended.wait()
        lines = self.last_lines()
        return f"; it wrote: {' | '.join(lines)}" if lines else ""

    def last_lines(self) -> list[str]:
        """The last lines that it has written, fit for a terminal."""
        return self._log.last_lines()

    async def hang_up(self) -> None:
        """Close all connections."""
        for peer in self._peers:
            await peer.close()


@asynccontextmanager
async def hosted(
    command: BotCommand, with_token: bool = True, is_open: bool = True, kept_lines: int = 5
) -> AsyncIterator[BotHost]:
    """A bot that has been started; it is gone afterwards.

    Args:
        command: how it is started.
        with_token: whether it is given a token, like the bots of a tournament.
        is_open: whether connections are taken, not refused, from the beginning.
        kept_lines: how many of the last lines of its output are kept.

    Raises:
        RunError: it cannot be started.
    """
    token = secrets.token_urlsafe(32) if with_token else None
    log = BotLog(None, kept_lines)
    with trio.socket.socket() as door, TemporaryDirectory() as state:
        await door.bind((HOST, 0))
        environment = _environment(door.getsockname()[1], token, Path(state))
        async with trio.open_nursery() as nursery:

            def run(process: _Process) -> None:
                nursery.start_soon(process.run, command, environment, log)

            host = BotHost(door, token, log, run)
            if is_open:
                host.open()
            host.start()
            try:
                yield host
            finally:
                nursery.cancel_scope.cancel()
                await host.hang_up()
                log.close()


def _environment(port: int, token: str | None, state: Path) -> dict[str, str]:
    """What the bot is told; the tokens that the author's bots keep stay as they are."""
    environment = Address(HOST, port).environment(NAME, token or "")
    if token is None:
        del environment["POLYNYA_TOKEN"]
    return {
        **environment,
        "XDG_STATE_HOME": str(state),
        "POLYNYA_TOKEN_FILE": str(state / f"{NAME}.token"),
    }
