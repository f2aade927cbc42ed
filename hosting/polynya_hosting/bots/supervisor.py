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
from polynya_hosting.bots.bot_process import ADVICE
from polynya_hosting.bots.cores import core_numbers, matches_on, usable_cores
from polynya_hosting.bots.supervised_process import HostServer, SupervisedProcess
from polynya_server.sessions.tokens import new_token

_PAUSE_S = 0.5
_KIND = len(ADVICE) + 12
"""Sentences that share a prefix of this length count as one kind."""
_KINDS = 4


@dataclass(slots=True)
class Restarts:
    """Counts how often a bot may still be restarted after it ended; its blocks share the count.

    Attributes:
        left: the number of restarts left.
        is_told: whether the host has been told that none is left.
    """

    left: int
    is_told: bool = False


class HostedBot:
    """Runs a hosted bot for one block, and restarts it when it ends by itself.

    A bot that plays several blocks at the same time has a process for each, with a separate token,
    session, log and ``POLYNYA_SEED``; to all others they are one bot.

    Args:
        bot: the bot's configuration.
        configuration: of its tournament.
        number: which of the bot's processes at this time, from 1.
        token: proves its name; default: a new one.
        seed: its ``POLYNYA_SEED``.
        restarts: counts its restarts; default: the description's number for it alone.
        keep_log: whether its output is written to a file.
        pinned: whether it has a processor core to itself, in a sandbox where each can have one.

    Attributes:
        name: the bot's.
        number: see above.
        token: see above.
        was_connected: whether it has ever been connected.
        may_leave: whether it may end without a restart.
        end_counted: set when an end by itself has been counted; a new event when it connects.
    """

    def __init__(
        self,
        bot: BotConfiguration,
        configuration: TournamentConfiguration,
        *,
        number: int = 1,
        token: str | None = None,
        seed: int = 0,
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
            seed,
            keep_log,
            core_of(configuration, bot.name, number) if pinned else None,
        )

    async def run(
        self,
        server: HostServer,
        warn: Callable[[str], None],
        give_up: Callable[[str, Cause], None],
        on_connected: Callable[[], None] = lambda: None,
        on_ended: Callable[[str, Cause], None] = lambda *_: None,
    ) -> None:
        """Keep the bot running until cancelled, or until its process has ended too often.

        Args:
            server: the server that it plays on.
            warn: called when the process ended, with the last lines of its log, and immediately
                with the bridge's advice to the bot's author: once for each kind of sentence.
            give_up: called with the bot's name and a sentence when it is not restarted.
            on_connected: called when it has connected for the first time after a start.
            on_ended: called with the bot's name, and how the process ended, at each end by itself.

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
            on_ended(self.name, ending.how)
            is_hopeless = self.number > 1 and not self.was_connected
            if is_hopeless:  # this machine, or the bot, supports only one
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
    """The version of an uploaded bot; None if only the bot knows its version."""
    return bot.upload.partition("@")[2] if bot.upload else None


def processes_of(configuration: TournamentConfiguration) -> int:
    """Maximum number of processes per bot: one per match at a time, at most one per usable core."""
    return min(_most_at_once(configuration), usable_cores())


def core_of(configuration: TournamentConfiguration, name: str, number: int) -> int | None:
    """The core that a process of a bot is pinned to, in a sandbox that pins processes.

    None if there are fewer cores than processes of all bots.
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
    """Number of matches played at the same time; None if bots from outside determine it.

    With no more matches than the cores allow each bot that thinks has a core.
    """
    if not _all_hosted(configuration):
        return None
    taking_part = [bot for bot in configuration.bots if not bot.withdrawn]
    seats = len(taking_part) * processes_of(configuration)
    return min(_most_at_once(configuration), seats // configuration.players)


def requested_at_once(configuration: TournamentConfiguration) -> int:
    """Number of matches that ``concurrency`` asks for: a match counts as many as it needs cores."""
    return matches_on(configuration.concurrency, configuration.game, configuration.players)


def _most_at_once(configuration: TournamentConfiguration) -> int:
    """The requested matches, as far as hosted bots that share no cores allow them."""
    requested = requested_at_once(configuration)
    if configuration.share_cores or not _all_hosted(configuration):
        return requested
    return min(requested, matches_on(usable_cores(), configuration.game, configuration.players))


def _all_hosted(configuration: TournamentConfiguration) -> bool:
    return not any(bot.external for bot in configuration.bots if not bot.withdrawn)
