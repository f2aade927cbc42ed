"""The built-in bots of one person's match: started for it as programs, ended with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Container
from pathlib import Path

import structlog

from polynya_common.errors import RunError
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.supervised_process import Address, HostServer
from polynya_hosting.bots.supervisor import HostedBot
from polynya_protocol.messages import Clock
from polynya_server import Server

log = structlog.get_logger("polynya_web")

START_MS = 60_000
"""How long a program may take to connect."""


def hosted(builtin: str, name: str, seed: int, logs: Path) -> HostedBot:
    """A built-in bot that is to be run: it gives way to everything else on this machine.

    Args:
        builtin: which one.
        name: what it is called at the table.
        seed: its dice follow from it.
        logs: the folder for its output.
    """
    command = builtin_command(builtin)
    nice = shutil.which("nice")
    bot = BotConfiguration(
        name=name,
        command=[*([nice, "-n", "5"] if nice else []), *command.words],
        environment=dict(command.environment),
    )
    configuration = TournamentConfiguration(
        name="play",
        game="",
        bots=[bot],
        clock=Clock(move_ms=1),
        seed=seed,
        logs=str(logs),
        start_ms=START_MS,
        restarts=2,
    )
    return HostedBot(bot, configuration)


async def keep_running(
    bot: HostedBot, server: Server, connected: Container[str], lost: Callable[[], None]
) -> None:
    """Run a built-in bot until cancelled; ``lost`` is called if it cannot be kept running.

    It has been invited with its token, so nothing else lets it in.
    """
    home = HostServer(
        Address(server.host, server.port),
        lambda *_: None,
        lambda name, _process: name in connected,
        server.hearing,
    )

    def warn(sentence: str) -> None:
        log.warning("a bot that plays against a person", problem=sentence)

    try:
        await bot.run(home, warn, lambda _name, _sentence: lost())
    except RunError as error:
        warn(str(error))
        lost()
