"""The supervisor of hosted bots: starts and restarts their processes, until it gives up."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import trio

from polynya_server.sessions.tokens import hash_token, new_token
from polynya_tournaments.bots.bot_process import ADVICE
from polynya_tournaments.bots.cores import core_numbers, usable_cores
from polynya_tournaments.bots.supervised_process import HostServer, SupervisedProcess
from polynya_tournaments.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_tournaments.errors import unwrap_single_error

_PAUSE_S = 0.5
_KIND = len(ADVICE) + 12
"""Sentences that are alike so far are of one kind."""
_KINDS = 4


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
        self._version = bot.upload.partition("@")[2] if bot.upload else None
        self._configuration = configuration
        self._keep_log = keep_log
        self._restarts = configuration.restarts
        self._wanted = 1
        self._has_connected = False
        self._advised: set[str] = set()
        self._processes: set[int] = set()
        self._start_wanted: Callable[[], None] = lambda: None

    def want(self, processes: int) -> None:
        """Start further processes, up to this number."""
        self._wanted = max(self._wanted, min(processes, self.most))
        self._start_wanted()

    async def run(
        self, server: HostServer, warn: Callable[[str], None], give_up: Callable[[str, str], None]
    ) -> None:
        """Keep the bot running until cancelled, or until its processes have ended too often.

        Args:
            server: the server that it plays on.
            warn: is told when a process ended, with the last lines of its log, and at once what
                the bridge says to the bot's author: each kind of sentence once.
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
                        server.admit(self.name, hash_token(process.token), number, self._version)
                        nursery.start_soon(self._keep, process, server, warn, give_up)

                self._start_wanted = start_wanted
                start_wanted()

    def _note_connected(self) -> None:
        """A process has connected for the first time since it was started."""
        self._has_connected = True
        self._start_wanted()

    def _pass_on(self, advice: str, warn: Callable[[str], None]) -> None:
        kind = advice[:_KIND]
        if kind not in self._advised and len(self._advised) < _KINDS:
            self._advised.add(kind)
            warn(f"bot {self.name}: {advice}")

    def _process(self, number: int) -> SupervisedProcess:
        token = self.token if number == 1 else new_token()
        core = core_of(self._configuration, self.name, number)
        return SupervisedProcess(
            self._bot, self._configuration, number, token, self._keep_log, core
        )

    async def _keep(
        self,
        process: SupervisedProcess,
        server: HostServer,
        warn: Callable[[str], None],
        give_up: Callable[[str, str], None],
    ) -> None:
        """Keep one process running."""
        while not self.may_leave:
            ending = await process.run(
                server, self._note_connected, lambda line: self._pass_on(line, warn)
            )
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
            connected = sum(server.is_connected(self.name, number) for number in self._processes)
            more = f"; {self.name} plays on with {_processes(connected)}" if connected else ""
            warn(f"{ending.sentence()}{more}")
            return
        warn(f"{ending.sentence()}; it is not started again")
        starts = self._configuration.restarts + 1
        give_up(self.name, ending.sentence(f", in the last of {starts} starts"))


def processes_of(configuration: TournamentConfiguration) -> int:
    """How many processes of each bot are started at most: one for each core that there is."""
    return max(1, min(configuration.concurrency, usable_cores()))


def core_of(configuration: TournamentConfiguration, name: str, number: int) -> int | None:
    """The core that a process of a bot is pinned to, in a sandbox that gives it one.

    None if not each process of all bots can have its own.
    """
    if configuration.sandbox == "none" or configuration.sandbox_limits.cores > 1:
        return None
    hosted = [bot.name for bot in configuration.bots if not (bot.external or bot.withdrawn)]
    processes, cores = processes_of(configuration), core_numbers()
    if name not in hosted or len(hosted) * processes > min(usable_cores(), len(cores)):
        return None
    place = hosted.index(name) * processes + number - 1
    return cores[place] if number <= processes else None


def possible_at_once(configuration: TournamentConfiguration) -> int | None:
    """How many matches are played at the same time; None if bots from outside decide that.

    In a match one bot thinks at a time: with no more matches than cores each has one of its own.
    """
    taking_part = [bot for bot in configuration.bots if not bot.withdrawn]
    if any(bot.external for bot in taking_part):
        return None
    seats = len(taking_part) * processes_of(configuration)
    most = configuration.concurrency
    if not configuration.share_cores:
        most = min(most, usable_cores())
    return min(most, seats // configuration.players)


def _processes(number: int) -> str:
    return "one process" if number == 1 else f"{number} processes"
