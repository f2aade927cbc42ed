"""The bots that a tournament starts itself: supervised, started again, given up after a while."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path

import trio

from polynya_server.tokens import new_token
from polynya_tournaments.builtin_bots import BotCommand
from polynya_tournaments.description import BotConfiguration, TournamentConfiguration
from polynya_tournaments.errors import RunError, one_error
from polynya_tournaments.processes import BotLog, command_of, run_bot
from polynya_tournaments.seeds import bot_seed

_LOOK_EVERY_S = 0.1
_PAUSE_S = 0.5
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104


@dataclass(frozen=True, slots=True)
class Address:
    """Where hosted bots connect to."""

    host: str
    port: int

    def environment(self, name: str, token: str) -> dict[str, str]:
        """What a bot is told by its environment."""
        return {
            "POLYNYA_HOST": _WILDCARDS.get(self.host, self.host),
            "POLYNYA_PORT": str(self.port),
            "POLYNYA_TOKEN": token,
            "POLYNYA_NAME": name,
        }


class HostedBot:
    """One bot that is started by us.

    Args:
        bot: which.
        configuration: of its tournament.
        keep_log: whether what it prints is written to a file.

    Attributes:
        name: of the bot.
        token: what it proves its name with, new for each run.
        was_connected: whether it has been connected at any time.
        may_leave: whether it may end without being started again.
    """

    def __init__(
        self,
        bot: BotConfiguration,
        configuration: TournamentConfiguration,
        *,
        keep_log: bool = True,
    ) -> None:
        self.name = bot.name
        self.token = new_token()
        self.was_connected = False
        self.may_leave = False
        self._command = _seeded(command_of(bot), bot_seed(configuration.seed, bot.name))
        folder = Path(configuration.logs_folder)
        self._log_path = folder / f"{bot.name}.log" if keep_log else None
        self._start_ms = configuration.start_ms
        self._restarts = configuration.restarts

    def has_come(self, connected: Container[str]) -> bool:
        """Whether it is connected, or was at any time before."""
        self.was_connected = self.was_connected or self.name in connected
        return self.was_connected

    async def run(
        self,
        address: Address,
        connected: Container[str],
        warn: Callable[[str], None],
        give_up: Callable[[str, str], None],
    ) -> None:
        """Keep the bot running until cancelled, or until it has ended too often.

        Args:
            address: where it is to connect to.
            connected: the names of the bots that are connected.
            warn: is told when it ended, with the last lines of its log.
            give_up: is told its name and a sentence when it is not started again.

        Raises:
            RunError: it did not connect at its first start, or could not be started then.
        """
        ending = await self._run_once(address, connected)
        if not self.was_connected and not self.may_leave:
            raise RunError(ending.problem)
        for left in range(self._restarts, 0, -1):
            if self.may_leave:
                return
            warn(f"{ending.problem}; it is started again, at most {left} times more")
            await trio.sleep(_PAUSE_S)
            try:
                ending = await self._run_once(address, connected)
            except RunError as error:
                ending = _Ending("could not be started", str(error))
        if self.may_leave:
            return
        warn(f"{ending.problem}; it is not started again, its other matches are not played")
        give_up(self.name, f"bot {self.name} {ending.how} after {self._restarts} restarts")

    async def _run_once(self, address: Address, connected: Container[str]) -> _Ending:
        """Start the bot and wait until it ends or has been away from the server for too long."""
        log = BotLog(self._log_path)
        how = ""
        try:
            with one_error():
                async with trio.open_nursery() as nursery:

                    async def watch() -> None:
                        nonlocal how
                        how = await self._until_lost(connected)
                        nursery.cancel_scope.cancel()

                    nursery.start_soon(watch)
                    environment = address.environment(self.name, self.token)
                    code = await run_bot(self.name, self._command, environment, log)
                    how = _how_ended(code)
                    nursery.cancel_scope.cancel()
        finally:
            log.close()
        return _Ending(how, f"bot {self.name} {how}; {_tail(log)}")

    async def _until_lost(self, connected: Container[str]) -> str:
        """Return when the bot has been away for ``start_ms``; the words for it."""
        limit_s = self._start_ms / 1000
        last_seen = trio.current_time()
        seen = False
        while trio.current_time() - last_seen < limit_s:
            if self.name in connected:
                seen = self.was_connected = True
                last_seen = trio.current_time()
            await trio.sleep(_LOOK_EVERY_S)
        how = "was not connected any more for" if seen else "did not connect within"
        return f"{how} {limit_s:g} s"


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a bot ended: in a few words, and in a sentence with the last lines of its log."""

    how: str
    problem: str


def _seeded(command: BotCommand, seed: int) -> BotCommand:
    """The command with ``POLYNYA_SEED`` in its environment; one that is set there stays."""
    environment = {"POLYNYA_SEED": str(seed), **command.environment}
    return BotCommand(command.words, environment, command.directory)


def _how_ended(code: int) -> str:
    if code < 0:
        return f"was ended by signal {-code}"
    return f"ended by itself with exit code {code}"


def _tail(log: BotLog) -> str:
    lines = log.last_lines()
    if not lines:
        return "it has written nothing" + (f" to {log.path}" if log.path else "")
    return f"{f'the end of {log.path}' if log.path else 'it wrote last'}: {' | '.join(lines)}"
