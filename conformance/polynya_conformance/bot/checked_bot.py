"""Starts the processes of the bot under test, and listens at the addresses given to them."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from polynya_conformance.peer import Broken, Peer
from polynya_contest.config.builtin_bots import BotCommand
from polynya_hosting.bots.bot_process import BotLog, run_bot
from polynya_hosting.bots.child_process import Child
from polynya_hosting.bots.supervised_process import Address

HOST = "127.0.0.1"


class Listener:
    """A reserved address; connections to it are refused while it is closed."""

    def __init__(self, sock: trio.socket.SocketType) -> None:
        self._sock = sock
        self.port: int = sock.getsockname()[1]
        self.is_open = False

    @classmethod
    async def bind(cls, port: int = 0) -> Listener:
        """Reserve a port, or any free one; it is closed at first."""
        return cls(await _bound(port))

    def open(self) -> None:
        """Accept connections from now on."""
        self._sock.listen()
        self.is_open = True

    async def close(self) -> None:
        """Refuse connections from now on; accepted ones stay open."""
        self._sock.close()
        self._sock = await _bound(self.port)
        self.is_open = False

    async def accept(self) -> trio.SocketStream:
        """The next connection."""
        return await trio.SocketListener(self._sock).accept()

    def release(self) -> None:
        """Release the port."""
        self._sock.close()


async def _bound(port: int) -> trio.socket.SocketType:
    sock = trio.socket.socket()
    try:
        if port:
            _share(sock)
        await sock.bind((HOST, port))
    except BaseException:
        sock.close()
        raise
    _share(sock)  # after binding: else the system could assign the port of a closed listener
    return sock


def _share(sock: trio.socket.SocketType) -> None:
    """Allow binding the port again while connections accepted there are open."""
    sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_REUSEADDR, 1)


NAME = "checked-bot"
_LAST_WORDS_S = 0.5
_STOPS_S = 3.0


@dataclass
class _Process:
    """One process of the bot.

    Attributes:
        ended: set when it has ended.
        code: its exit code, once it has ended.
        handle: for signals to it, once it is started.
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
    """The bot under test, with the addresses given to it.

    Attributes:
        token: its POLYNYA_TOKEN; None if it has none.
        listeners: at the addresses given to it, in their order.
        connected_to: the listener that accepted its latest connection.
    """

    def __init__(
        self,
        listeners: Sequence[Listener],
        token: str | None,
        log: BotLog,
        run: Callable[[_Process], None],
    ) -> None:
        self.token = token
        self.listeners = listeners
        self.connected_to = listeners[0]
        self._log = log
        self._run = run
        self._processes: list[_Process] = []
        self._peers: list[Peer] = []

    def start(self) -> None:
        """Start one more process of the bot, with the addresses, name and token of the others."""
        self._processes.append(_Process())
        self._run(self._processes[-1])

    def ask_to_end(self) -> None:
        """Send SIGTERM to all processes."""
        for process in self._processes:
            if process.handle is not None and not process.ended.is_set():
                process.handle.ask_to_end()

    async def stop(self) -> None:
        """End all processes; kill those that do not end in time."""
        self.ask_to_end()
        with trio.move_on_after(_STOPS_S):
            await self._ended()
        for process in self._processes:
            if process.handle is not None and not process.ended.is_set():
                process.handle.kill()
        await self._ended()

    async def connection(self, seconds: float) -> Peer | None:
        """Wait for the bot's next connection; None if none comes in time, or the bot has ended."""
        found: Peer | None = None

        async def accept(listener: Listener) -> None:
            nonlocal found
            found, self.connected_to = Peer(await listener.accept()), listener
            self._peers.append(found)
            nursery.cancel_scope.cancel()

        async def ended() -> None:
            await self._ended()
            nursery.cancel_scope.cancel()

        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                for listener in self.listeners:
                    if listener.is_open:
                        nursery.start_soon(accept, listener)
                nursery.start_soon(ended)
        return found

    async def _ended(self) -> None:
        """Wait until no process is left."""
        for process in self._processes:
            await process.ended.wait()

    async def first_connection(self, seconds: float) -> Peer:
        """Wait for the bot's first connection.

        Raises:
            Broken: R7, if none comes in time, or the bot ends instead.
        """
        peer = await self.connection(seconds)
        if peer is None:
            raise Broken(
                "R7", f"{self.state(seconds)} and did not connect{await self.last_words()}"
            )
        return peer

    def state(self, seconds: float) -> str:
        """Say whether the bot has ended, or how long it ran: the beginning of a sentence."""
        latest = self._processes[-1]
        if latest.ended.is_set():
            return f"it ended with exit code {latest.code}"
        return f"it ran for {seconds:g} s"

    async def last_words(self) -> str:
        """The last output, as the end of a sentence; waits for a process that is ending."""
        with trio.move_on_after(_LAST_WORDS_S):
            await self._processes[-1].ended.wait()
        lines = self.last_lines()
        return f"; it wrote: {' | '.join(lines)}" if lines else ""

    def last_lines(self) -> list[str]:
        """The last lines of its output, safe to print to a terminal."""
        return self._log.last_lines()

    async def hang_up(self) -> None:
        """Close all connections."""
        for peer in self._peers:
            await peer.close()


@asynccontextmanager
async def hosted(
    command: BotCommand,
    with_token: bool = True,
    servers: Sequence[bool] = (True,),
    kept_lines: int = 5,
) -> AsyncIterator[BotHost]:
    """Start a bot; end it when the context exits.

    Args:
        command: starts it.
        with_token: whether it gets a token, like the bots of a tournament.
        servers: for each address given to it, whether connections to it are accepted, not
            refused, from the beginning.
        kept_lines: number of last lines of its output to keep.

    Raises:
        RunError: it cannot be started.
    """
    token = secrets.token_urlsafe(32) if with_token else None
    log = BotLog(None, kept_lines)
    with TemporaryDirectory() as state, ExitStack() as stack:
        listeners = [await Listener.bind() for _ in servers]
        for listener in listeners:
            stack.callback(listener.release)
        environment = _environment([each.port for each in listeners], token, Path(state))
        async with trio.open_nursery() as nursery:

            def run(process: _Process) -> None:
                nursery.start_soon(process.run, command, environment, log)

            host = BotHost(listeners, token, log, run)
            for listener, is_open in zip(listeners, servers, strict=True):
                if is_open:
                    listener.open()
            host.start()
            try:
                yield host
            finally:
                nursery.cancel_scope.cancel()
                await host.hang_up()
                log.close()


def _environment(ports: Sequence[int], token: str | None, state: Path) -> dict[str, str]:
    """The bot's environment; it protects the tokens stored by the author's other bots.

    The last address is given without its port.
    """
    *others, last = ports
    hosts = ",".join([*(f"{HOST}:{port}" for port in others), HOST])
    environment = Address(hosts, last).environment(NAME, token or "")
    if token is None:
        del environment["POLYNYA_TOKEN"]
    return {
        **environment,
        "XDG_STATE_HOME": str(state),
        "POLYNYA_TOKEN_FILE": str(state / f"{NAME}.token"),
    }
