"""The workers that play the matches of a command, as flags."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polynya_app.flags.parameters import Number
from polynya_common.errors import ConfigurationError
from polynya_common.extras import require_packages
from polynya_contest.config.dask_settings import LOCAL, DaskSettings, check_dask
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_tournaments.tournament.runner import OpenRemote


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
        Parameter(help="With --dask local, how many workers; each plays one match at a time."),
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
