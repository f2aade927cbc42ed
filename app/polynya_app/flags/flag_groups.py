"""Groups of flags that several commands share: clock, sandbox, workers and web pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polynya_app.flags.parameters import Number, read_options
from polynya_app.web_pages import DEFAULT_HOST, DEFAULT_PORT
from polynya_common.errors import ConfigurationError
from polynya_common.extras import require_packages
from polynya_contest.config.bot_names import command_words
from polynya_contest.config.dask_settings import LOCAL, DaskSettings, check_dask
from polynya_contest.config.sandbox_settings import SandboxLimits, SandboxName, SandboxSettings
from polynya_contest.config.toml_files import converted, refuse_unknown
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_protocol.messages import Clock
from polynya_tournaments.tournament.runner import OpenRemote

_REPEATED = {"negative": "", "show_default": False, "json_list": False}


@Parameter(name="*", group="Sandbox")
@dataclass(frozen=True)
class SandboxFlags:
    """The sandbox that keeps bots from files and processes that are not their own."""

    sandbox: Annotated[
        SandboxName | None,
        Parameter(
            help="The sandbox of the bots that this command starts, and of the rules of a game's "
            "folder; with none they have your rights. A bot that cannot start in it is an error. "
            "[default: none]"
        ),
    ] = None
    sandbox_command: Annotated[
        str | None,
        Parameter(
            help="For --sandbox command: a command line with {command}, {dir} and {guard} in it; "
            "docs/hosting/sandboxes.md explains them."
        ),
    ] = None
    sandbox_path: Annotated[
        tuple[str, ...],
        Parameter(
            help="A file or folder that bots may read besides the system's; may be repeated.",
            **_REPEATED,
        ),
    ] = ()
    sandbox_limit: Annotated[
        tuple[str, ...],
        Parameter(
            help="A limit of each process of a bot, such as memory_mb=256; may be repeated. There "
            f"are {', '.join(SandboxLimits.__struct_fields__)}.",
            **_REPEATED,
        ),
    ] = ()


def in_sandbox(sandbox: SandboxSettings, flags: SandboxFlags | None) -> SandboxSettings:
    """The sandbox, changed by the flags that were given.

    Raises:
        ConfigurationError: one of them says nothing that could be done.
    """
    if flags is None:
        return sandbox
    found: dict[str, Any] = {}
    if flags.sandbox is not None:
        found["driver"] = flags.sandbox
    if flags.sandbox_command is not None:
        try:
            found["command"] = tuple(command_words(flags.sandbox_command))
        except ValueError as error:
            raise ConfigurationError(
                f"--sandbox-command: {flags.sandbox_command!r} is no command line: {error}"
            ) from error
    if flags.sandbox_path:
        found["paths"] = tuple(str(Path(path).absolute()) for path in flags.sandbox_path)
    if flags.sandbox_limit:
        document: dict[str, Any] = read_options(flags.sandbox_limit, "--sandbox-limit")
        refuse_unknown(document, SandboxLimits.__struct_fields__, "--sandbox-limit ")
        found["limits"] = converted(document, SandboxLimits)
    return msgspec.structs.replace(sandbox, **found)


@Parameter(name="*")
@dataclass(frozen=True)
class Limits:
    """The time limits of each match, in ms."""

    initial: Annotated[
        Number | None,
        Parameter(
            name=("--initial-ms", "--initial"), help="Each bot's budget for the whole match."
        ),
    ] = None
    increment: Annotated[
        Number | None,
        Parameter(
            name=("--increment-ms", "--increment"), help="Time added to the clock after each turn."
        ),
    ] = None
    move: Annotated[
        Number | None,
        Parameter(name=("--move-ms", "--move"), help="The most that one turn may take."),
    ] = None

    @property
    def is_given(self) -> bool:
        """Whether there is any limit."""
        return not self.initial is self.increment is self.move is None

    def clock(self, default: Clock) -> Clock:
        """The clock that was asked for; ``default`` where nothing was.

        Raises:
            ConfigurationError: the limits do not make a clock.
        """
        if self.initial is self.increment is self.move is None:
            return default
        if not self.initial and not self.move:
            raise ConfigurationError("a clock needs --initial-ms or --move-ms of at least 1 ms")
        return Clock(initial_ms=self.initial, increment_ms=self.increment, move_ms=self.move)


@Parameter(name="*", group="Workers")
@dataclass(frozen=True)
class DaskFlags:
    """Machines that share the matches."""

    dask: Annotated[
        str | None,
        Parameter(
            help="Let the workers of a Dask scheduler play: its address, like "
            "tcp://HOST:8786, or 'local' for workers on this machine; docs/scaling.md."
        ),
    ] = None
    workers: Annotated[
        Number | None,
        Parameter(
            help="With --dask local, how many workers; each plays one match at a time, which takes "
            "as many of them as it has seats if all its bots think at the same time."
        ),
    ] = None


def with_dask(
    configuration: TournamentConfiguration, flags: DaskFlags | None
) -> TournamentConfiguration:
    """The description with the workers that the flags name.

    Raises:
        ConfigurationError: --workers stands without --dask local.
    """
    given: dict[str, Any] = {}
    if flags is not None and flags.dask is not None:
        given["scheduler"] = flags.dask
    if flags is not None and flags.workers is not None:
        given["workers"] = flags.workers
        scheduler = flags.dask or (configuration.dask and configuration.dask.scheduler)
        if scheduler != LOCAL:
            raise ConfigurationError(
                f"--workers {flags.workers} needs --dask local: a scheduler has its own workers"
            )
    if not given:
        return configuration
    found = msgspec.structs.replace(configuration.dask or DaskSettings(), **given)
    return msgspec.structs.replace(configuration, dask=found)


def opens_workers(configuration: TournamentConfiguration) -> OpenRemote | None:
    """The function that opens the workers of a description; None if its matches are played here.

    Raises:
        TournamentError: Dask is not installed, or a bot connects from outside.
    """
    if configuration.dask is None:
        return None
    check_dask(configuration.dask)
    require_packages("distributed")
    # Imported here: only these matches need the package, which takes half a second.
    from polynya_tournaments.distribution.remote_blocks import (
        open_remote_blocks,
        refuse_external,
    )

    refuse_external(configuration)
    return partial(open_remote_blocks, configuration.dask)


@Parameter(name="*", group="Web pages")
@dataclass(frozen=True)
class WebFlags:
    """Where the pages are served."""

    web_port: Annotated[
        Number | None,
        Parameter(
            help="Show matches, replays and tables in the browser on this port, 0 for any free "
            f"one; {DEFAULT_PORT} is usual."
        ),
    ] = None
    web_host: Annotated[
        str | None,
        Parameter(help=f"The address of the pages. [default: {DEFAULT_HOST}]"),
    ] = None
    web_hosts: Annotated[
        tuple[str, ...],
        Parameter(
            help="A name under which the pages are asked for, such as contest.example; may be "
            "repeated. IP addresses, localhost and the machine's own names are known.",
            negative="",
            show_default=False,
        ),
    ] = ()
    web_reports: Annotated[
        str | None,
        Parameter(
            help="The folder of published reports and bundles, TOURNAMENT.html and "
            "TOURNAMENT.zip, which the pages link to."
        ),
    ] = None

    @property
    def words(self) -> dict[str, Any] | None:
        """The settings that were given, by name; None if there are to be no pages."""
        given = {
            "port": self.web_port,
            "host": self.web_host,
            "hosts": self.web_hosts or None,
            "reports": self.web_reports,
        }
        return {key: value for key, value in given.items() if value is not None} or None


def words_of(flags: WebFlags | None) -> dict[str, Any] | None:
    """The same of flags that may be missing."""
    return None if flags is None else flags.words
