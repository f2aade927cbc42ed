"""The bots that a tournament starts itself: supervised, started again, given up after a while."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import trio

from polynya_protocol.names import folded
from polynya_server.sessions.tokens import hash_token, new_token
from polynya_tournaments.bots.bot_process import BotLog, command_of, run_bot
from polynya_tournaments.bots.cores import usable_cores
from polynya_tournaments.config.builtin_bots import BotCommand
from polynya_tournaments.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_tournaments.errors import RunError, unwrap_single_error
from polynya_tournaments.file_names import file_stems
from polynya_tournaments.pairing.seeds import bot_seed

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


@dataclass(frozen=True, slots=True)
class Home:
    """The server that hosted bots play on.

    Attributes:
        address: where they connect to.
        admit: lets in the process of a bot that shows a token: the bot's name, the token's SHA-256
            and the number of the process.
        is_connected: whether a process of a bot is, by name and number.
    """

    address: Address
    admit: Callable[[str, bytes, int], None]
    is_connected: Callable[[str, int], bool]


class HostedBot:
    """One bot that is started by us, as often as matches of it are played at the same time.

    Its first process is started at once, further ones when the tournament can use them and a
    process of the bot has connected: a bot that cannot play is tried with one. Each process has a
    token, a session, a log and a ``POLYNYA_SEED`` of its own; to all others they are one bot.

    Args:
        bot: which.
        configuration: of its tournament.
        keep_log: whether what it prints is written to a file.

    Attributes:
        name: of the bot.
        token: what its first process proves the name with, new for each run.
        most: as many processes of it are started at most.
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
        self.most = processes_of(configuration)
        self.may_leave = False
        self._bot = bot
        self._configuration = configuration
        self._keep_log = keep_log
        self._restarts = configuration.restarts
        self._wanted = 1
        self._has_connected = False
        self._processes: set[int] = set()
        self._start_wanted: Callable[[], None] = lambda: None

    def want(self, processes: int) -> None:
        """Start further processes, up to this number."""
        self._wanted = max(self._wanted, min(processes, self.most))
        self._start_wanted()

    async def run(
        self, home: Home, warn: Callable[[str], None], give_up: Callable[[str, str], None]
    ) -> None:
        """Keep the bot running until cancelled, or until its processes have ended too often.

        Args:
            home: the server that it plays on.
            warn: is told when a process ended, with the last lines of its log.
            give_up: is told the bot's name and a sentence when none is started again.

        Raises:
            RunError: a log cannot be written.
        """
        with unwrap_single_error():
            async with trio.open_nursery() as nursery:

                def start_wanted() -> None:
                    wanted = self._wanted if self._has_connected else 1
                    while len(self._processes) < min(wanted, self.most):
                        number = next(n for n in count(1) if n not in self._processes)
                        self._processes.add(number)
                        process = self._process(number)
                        # In this order: the token of the first process replaces all others.
                        home.admit(self.name, hash_token(process.token), number)
                        nursery.start_soon(self._keep, process, home, warn, give_up)

                self._start_wanted = start_wanted
                start_wanted()

    def _note_connected(self) -> None:
        """A process has connected for the first time since it was started."""
        self._has_connected = True
        self._start_wanted()

    def _process(self, number: int) -> _Process:
        token = self.token if number == 1 else new_token()
        return _Process(self._bot, self._configuration, number, token, self._keep_log)

    async def _keep(
        self,
        process: _Process,
        home: Home,
        warn: Callable[[str], None],
        give_up: Callable[[str, str], None],
    ) -> None:
        """Keep one process running."""
        while not self.may_leave:
            ending = await process.run(home, self._note_connected)
            if self.may_leave:
                return
            if process.number > 1 and not process.was_connected:
                break  # one is all that this machine, or the bot, takes
            if self._restarts == 0:
                break
            warn(f"{ending.sentence()}; it is started again, at most {self._restarts} times more")
            self._restarts -= 1
            await trio.sleep(_PAUSE_S)
        self._processes.discard(process.number)
        if self.may_leave:
            return
        self.most = len(self._processes)
        if self._processes:
            connected = sum(home.is_connected(self.name, number) for number in self._processes)
            more = f"; {self.name} plays on with {_processes(connected)}" if connected else ""
            warn(f"{ending.sentence()}{more}")
            return
        warn(f"{ending.sentence()}; it is not started again")
        starts = self._configuration.restarts + 1
        give_up(self.name, ending.sentence(f", in the last of {starts} starts"))


def processes_of(configuration: TournamentConfiguration) -> int:
    """How many processes of each bot are started at most: one for each core that there is."""
    return max(1, min(configuration.concurrency, usable_cores()))


def possible_at_once(configuration: TournamentConfiguration) -> int | None:
    """How many matches can be played at the same time; None if bots from outside decide that."""
    taking_part = [bot for bot in configuration.bots if not bot.withdrawn]
    if any(bot.external for bot in taking_part):
        return None
    seats = len(taking_part) * processes_of(configuration)
    return min(configuration.concurrency, seats // configuration.players)


def _processes(number: int) -> str:
    return "one process" if number == 1 else f"{number} processes"


class _Process:
    """One process of a bot, started again and again under the same token.

    Attributes:
        number: which of the bot's processes, from 1.
        token: what it proves the bot's name with.
        was_connected: whether it has been connected at any time.
    """

    def __init__(
        self,
        bot: BotConfiguration,
        configuration: TournamentConfiguration,
        number: int,
        token: str,
        keep_log: bool,
    ) -> None:
        self.token = token
        self.was_connected = False
        self._name = bot.name
        self.number = number
        self._command = _seeded(command_of(bot), bot_seed(configuration.seed, bot.name, number))
        self._log_path = _log_path(configuration, bot.name, number) if keep_log else None
        self._start_ms = configuration.start_ms

    async def run(self, home: Home, on_connected: Callable[[], None]) -> _Ending:
        """Start it and wait until it ends or has been away from the server for too long.

        Args:
            home: the server that it plays on.
            on_connected: called when it connects for the first time.

        Raises:
            RunError: its log cannot be written.
        """
        log = BotLog(self._log_path)
        how = ""
        try:
            with unwrap_single_error():
                async with trio.open_nursery() as nursery:

                    async def watch() -> None:
                        nonlocal how
                        how = await self._until_lost(home, on_connected)
                        nursery.cancel_scope.cancel()

                    nursery.start_soon(watch)
                    environment = home.address.environment(self._name, self.token)
                    code = await run_bot(self._name, self._command, environment, log)
                    how = _how_ended(code)
                    nursery.cancel_scope.cancel()
        except RunError as error:
            return _Ending(self._name, str(error).removeprefix(f"bot {self._name} "))
        finally:
            log.close()
        return _Ending(self._name, how, _tail(log))

    async def _until_lost(self, home: Home, on_connected: Callable[[], None]) -> str:
        """Return when it has been away for ``start_ms``; the words for it."""
        limit_s = self._start_ms / 1000
        last_seen = trio.current_time()
        seen = False
        while trio.current_time() - last_seen < limit_s:
            if home.is_connected(self._name, self.number):
                last_seen = trio.current_time()
                if not seen:
                    seen = self.was_connected = True
                    on_connected()
            await trio.sleep(_LOOK_EVERY_S)
        how = "was not connected any more for" if seen else "did not connect within"
        return f"{how} {limit_s:g} s"


def _log_path(configuration: TournamentConfiguration, name: str, number: int) -> Path:
    """``NAME.log``, and ``NAME.2.log`` and so on for further processes; see :func:`file_stems`."""
    stems = file_stems(bot.name for bot in configuration.bots)
    stem = stems[name]
    if number > 1:
        taken = {folded(other) for other in stems.values()}
        stem = f"{stem}.{number}"
        while folded(stem) in taken:
            stem += f".{number}"
    return Path(configuration.logs_folder) / f"{stem}.log"


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a process ended: whose, in a few words, and the last lines of its log."""

    name: str
    how: str
    log: str = ""

    def sentence(self, more: str = "") -> str:
        """All of it, with more words about how it ended."""
        return "; ".join(filter(None, [f"bot {self.name} {self.how}{more}", self.log]))


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
