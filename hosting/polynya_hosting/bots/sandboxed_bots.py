"""Tries, before anything starts, whether each bot can be started in the configured sandbox."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from polynya_common.database_address import database_address
from polynya_common.errors import ConfigurationError, RunError
from polynya_contest.config.builtin_bots import BotCommand
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_hosting.bots.bot_process import BotLog, command_of, program_of, run_bot
from polynya_hosting.bots.child_process import has_guards
from polynya_hosting.sandbox.containment import PROBE, rights_told
from polynya_hosting.sandbox.hindrances import hindrance
from polynya_hosting.sandbox.interface import Sandbox
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_hosting.sandbox.visible_files import check_folder
from polynya_protocol.errors import printable

_TRY_S = 30.0
_LINES_OF_PROBE = 50


async def usable_sandbox(configuration: TournamentConfiguration) -> Sandbox:
    """Select a tournament's sandbox, and try to start each bot of this host in it.

    No code of the bots runs yet. Without a configured sandbox nothing is tried.

    Raises:
        ConfigurationError: the sandbox does not work on this machine, or a bot cannot be started in
            it; the message says what to do.
    """
    sandbox = await working_sandbox(configuration.sandbox)
    if configuration.sandbox.driver == "none":
        return sandbox
    for bot in configuration.bots:
        if not bot.external and not bot.withdrawn:
            await _try_bot(sandbox, bot, private_paths(configuration))
    return sandbox


async def working_sandbox(settings: SandboxSettings) -> Sandbox:
    """Select the sandbox of these settings, and try a program in it.

    Raises:
        ConfigurationError: it does not work on this machine; the message says what to do.
    """
    sandbox = sandbox_of(settings)
    if settings.driver == "none":
        return sandbox
    if not has_guards():
        raise ConfigurationError(
            f"sandbox: {settings.driver} needs Linux, with prctl and /proc/PID/task/TID/children"
        )
    await _prove(sandbox)
    return sandbox


def private_paths(configuration: TournamentConfiguration) -> Mapping[str, Path]:
    """The files and folders of a tournament that no bot may see, by a description of each."""
    database = database_address(configuration.database)
    files = {"the contest's database": database} if isinstance(database, Path) else {}
    return {**files, "the folder of the bots' logs": Path(configuration.logs_folder)}


async def _try_bot(sandbox: Sandbox, bot: BotConfiguration, private: Mapping[str, Path]) -> None:
    command = command_of(bot)
    folder = program_of(command, {}).folder
    if folder is not None:
        check_folder(bot.name, folder, private)
    await _try(sandbox, f"bot {bot.name}: ", command)


async def _prove(sandbox: Sandbox) -> None:
    """Run a program in the sandbox that reports its rights; refuse one with the host's rights."""
    log = BotLog(None, kept_lines=_LINES_OF_PROBE)
    here = str(Path(__file__).parent)
    with _bait() as bait:
        command = BotCommand(("sh", "-c", PROBE, str(bait)), {}, here, here)
        try:
            with trio.fail_after(_TRY_S):
                await run_bot("", command, {}, log, sandbox=sandbox)
        except (RunError, trio.TooSlowError) as error:
            raise _failure(sandbox, "", log) from error
    inside = rights_told(log.last_lines())
    if inside is None:
        raise _failure(sandbox, "", log)
    if flaw := sandbox.flaw(inside):
        raise ConfigurationError(
            f"the sandbox ({sandbox.title}) does not contain a program: {flaw}; no bot runs "
            "without its sandbox: 'polynya doctor --sandbox' tries each that there is"
        )


@contextmanager
def _bait() -> Iterator[Path]:
    """Create a file that only this user may read."""
    with TemporaryDirectory(prefix="polynya-") as folder:
        path = Path(folder) / "bait"
        path.touch(mode=0o600)
        path.write_text("read\n", encoding="ascii")
        yield path


async def _try(sandbox: Sandbox, subject: str, command: BotCommand) -> None:
    """Test whether a command can be started, and its files read, in the sandbox."""
    log = BotLog(None)
    program, *others = command.words
    directory = Path(command.directory or ".")
    files = [word for word in others if os.path.isfile(directory / word)]
    tried = BotCommand((program, *files), command.environment, command.directory, command.folder)
    try:
        with trio.fail_after(_TRY_S):
            end = await run_bot("", tried, {}, log, sandbox=sandbox, only_try=True)
    except (RunError, trio.TooSlowError) as error:
        raise _refusal(sandbox, subject, command, log, error.__cause__) from error
    if end.code or end.usage is None:
        raise _refusal(sandbox, subject, command, log, None)


def _refusal(
    sandbox: Sandbox,
    subject: str,
    command: BotCommand,
    log: BotLog,
    cause: BaseException | None,
) -> ConfigurationError:
    words = printable(shlex.join(command.words))
    number = cause.errno if isinstance(cause, OSError) else None
    if number == errno.ENOENT:
        return ConfigurationError(
            f"{subject}the sandbox ({sandbox.title}) does not show the program of {words}: there "
            "are the system's programs, our Python and the bot's own folder; name further files "
            "and folders with sandbox.paths"
        )
    if number == errno.EACCES:
        return ConfigurationError(
            f"{subject}a file of {words} cannot be read in the sandbox ({sandbox.title}): let "
            "every user read the bot's folder, 'chmod -R a+rX FOLDER', or name a folder that lies "
            "elsewhere with sandbox.paths"
        )
    return _failure(sandbox, subject, log)


def _failure(sandbox: Sandbox, subject: str, log: BotLog) -> ConfigurationError:
    said = " | ".join(log.last_lines()) or "it says nothing"
    advice = hindrance(said) or "'polynya doctor --sandbox' tries each that there is"
    return ConfigurationError(
        f"{subject}the sandbox ({sandbox.title}) does not work on this machine: {said}; {advice}"
    )
