"""A tournament played in a terminal: with a progress bar, and stopped in order by Ctrl-C."""

from __future__ import annotations

import trio

from polynya_tournaments.cli.application import DONE, FAILED, INTERRUPTED
from polynya_tournaments.cli.logs import configure_logs
from polynya_tournaments.cli.output import complain
from polynya_tournaments.cli.progress import ProgressBar
from polynya_tournaments.description import TournamentConfiguration
from polynya_tournaments.runner import run_tournament
from polynya_tournaments.signals import stop_on_signals
from polynya_tournaments.standings import Standings
from polynya_tournaments.store import Store


async def play(configuration: TournamentConfiguration, store: Store) -> tuple[Standings, int]:
    """Play what is left of a tournament.

    Returns:
        the table, and the exit code: ``FAILED`` if matches have no result, ``INTERRUPTED`` if
        that is because it was stopped.
    """
    configure_logs()
    stop = trio.Event()
    with ProgressBar(_points(configuration, store)) as bar:

        def told() -> None:
            bar.say("stopping: matches in play may finish; Ctrl-C again ends at once")

        async with trio.open_nursery() as nursery:
            await nursery.start(stop_on_signals, stop, told)
            standings = await run_tournament(configuration, store, bar, stop)
            nursery.cancel_scope.cancel()
    for sentence in standings.unplayed:
        complain(sentence)
    if standings.complete:
        return standings, DONE
    return standings, INTERRUPTED if stop.is_set() else FAILED


def _points(configuration: TournamentConfiguration, store: Store) -> dict[str, float]:
    """What the bots have from earlier runs."""
    if configuration.name not in [row.name for row in store.tournaments()]:
        return {}
    return {row.name: row.points for row in store.standings(configuration.name).rows}
