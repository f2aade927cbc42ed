"""The supervisor of a hosted bot: starts and restarts its process, until it gives up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from polynya_common.reasons import Cause
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.schedule import bot_seed
from polynya_hosting.bots.bot_process import ADVICE
from polynya_hosting.bots.cores import core_numbers, usable_cores
from polynya_hosting.bots.supervised_process import HostServer, SupervisedProcess
from polynya_server.sessions.tokens import new_token

_PAUSE_S = 0.5
_KIND = len(ADVICE) + 12
"""Sentences that are alike so far are of one kind."""
_KINDS = 4


@dataclass(slots=True)
class Restarts:
    """How often a bot may still be started again after it ended by itself; its blocks share it.

    Attributes:
        left: the number of times.
        is_told: whether the host has been told that there are no more.
    """

    left: int
    is_told: bool = False


class HostedBot:
    """A bot that is started by us for one block, and again when it ends by itself.

    A bot that plays several blocks at the same time has a process for each, each with a token, a
    session, a log and a ``POLYNYA_SEED`` of its own; to all others they are one bot.

    Args:
        bot: which.
        configuration: of its tournament.
        number: which of the bot's processes at this time, from 1.
        token: what it proves its name with; default: a new one.
        block: the key of the block that its dice follow from.
        restarts: counts how often it is started again; default: the description's for it alone.
        keep_log: whether what it prints is written to a file.
        pinned: whether it has a processor core to itself, in a sandbox where each can have one.

    Attributes:
        name: of the bot.
        number: see above.
        token: see above.
        was_connected: whether it has been connected at any time.
        may_leave: whether it may end without being started again.
        end_counted: set when it has ended by itself, and that was counted; new when it connects.
    """

    def __init__(
        self,
        bot: BotConfiguration,
        configuration: TournamentConfiguration,
        *,
        number: int = 1,
        token: str | None = None,
        block: str = "",
        restarts: Restarts | None = None,
        keep_log: bool = True,
        pinned: bool = True,
    ) -> None:
        self.name = bot.name
        self.number = number
        self.token = token or new_token()
        self.was_connected = False
        self.may_leave = False
        self.end_counted = trio.Event()
        self._restarts = restarts or Restarts(configuration.restarts)
        self._starts = configuration.restarts + 1
        self._advised: set[str] = set()
        self._process = SupervisedProcess(
            bot,
            configuration,
            number,
            self.token,
            bot_seed(configuration.seed, bot.name, block),
            keep_log,
            core_of(configuration, bot.name, number) if pinned else None,
        )

    async def run(
        self,
        server: HostServer,
        warn: Callable[[str], None],
        give_up: Callable[[str, Cause], None],
        on_connected: Callable[[], None] = lambda: None,
    ) -> None:
        """Keep the bot running until cancelled, or until its process has ended too often.

        Args:
            server: the server that it plays on.
            warn: is told when the process ended, with the last lines of its log, and at once what
                the bridge says to the bot's author: each kind of sentence once.
            give_up: is told the bot's name and a sentence when it is not started again.
            on_connected: called when it has connected for the first time after a start.

        Raises:
            RunError: a log cannot be written.
        """

        def note_connected() -> None:
            self.was_connected = True
            self.end_counted = trio.Event()
            on_connected()

        while not self.may_leave:
            ending = await self._process.run(
                server, note_connected, lambda line: self._pass_on(line, warn)
            )
            if self.may_leave:
                return
            self.end_counted.set()
            is_hopeless = self.number > 1 and not self.was_connected
            if is_hopeless:  # one is all that this machine, or the bot, takes
                give_up(self.name, ending.sentence())
                return
            if self._restarts.left == 0:
                break
            left = self._restarts.left
            warn(f"{ending.sentence()}; it is started again, at most {left} times more")
            self._restarts.left -= 1
            await trio.sleep(_PAUSE_S)
        else:
            return
        if not self._restarts.is_told:
            self._restarts.is_told = True
            warn(f"{ending.sentence()}; it is not started again")
        give_up(self.name, ending.sentence(f", in the last of {self._starts} starts"))

    def _pass_on(self, advice: str, warn: Callable[[str], None]) -> None:
        kind = advice[:_KIND]
        if kind not in self._advised and len(self._advised) < _KINDS:
            self._advised.add(kind)
            warn(f"bot {self.name}: {advice}")


def version_of(bot: BotConfiguration) -> str | None:
    """The version that a bot was uploaded as; None where only the bot knows."""
    return bot.upload.partition("@")[2] if bot.upload else None


def processes_of(configuration: TournamentConfiguration) -> int:
    """How many processes of each bot are started at most: one for each core that there is."""
    return max(1, min(configuration.concurrency, usable_cores()))


def core_of(configuration: TournamentConfiguration, name: str, number: int) -> int | None:
    """The core that a process of a bot is pinned to, in a sandbox that gives it one.

    None if not each process of all bots can have its own.
    """
    if configuration.sandbox.driver == "none" or configuration.sandbox.limits.cores > 1:
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
