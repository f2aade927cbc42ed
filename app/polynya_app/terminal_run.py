"""A tournament played in a terminal: with a progress bar, and stopped in order by Ctrl-C."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import trio

from polynya_app.application import DONE, FAILED, INTERRUPTED
from polynya_app.console.announcements import configure_logs
from polynya_app.console.output import complain
from polynya_app.console.progress import ProgressBar
from polynya_app.flags.flag_groups import opens_workers
from polynya_app.signals import stop_on_signals
from polynya_app.web_pages import pages
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.pairing.standings import WITHDRAWN, Standings
from polynya_server import Server
from polynya_store import Store, StoreJournal
from polynya_store.disk_space import watch_disk
from polynya_tournaments.ladder.roster_follower import roster_follower
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import RunOptions, run_tournament
from polynya_tournaments.tournament.status import is_active
from polynya_web.page_sources import PageSources


async def play(
    configuration: TournamentConfiguration,
    store: Store,
    *,
    keep_logs: bool = True,
    play_held: bool = False,
    web: Mapping[str, Any] | None = None,
) -> tuple[Standings, int]:
    """Play what is left of a tournament; see ``RunOptions`` for ``keep_logs`` and ``play_held``.

    With ``web``, the settings of web pages, these are served meanwhile.

    Returns:
        the table, and the exit code: ``FAILED`` if matches have no result, ``INTERRUPTED`` if
        that is because it was stopped.
    """
    configure_logs()
    remote = opens_workers(configuration)
    stop = trio.Event()
    hidden = is_active(configuration.results_from)
    with ProgressBar(_points(configuration, store), hidden=hidden) as bar:

        def told() -> None:
            bar.say("stopping: matches in play may finish; Ctrl-C again ends at once")

        async with trio.open_nursery() as nursery:
            await nursery.start(stop_on_signals, stop, told)
            if store.file is not None:
                nursery.start_soon(watch_disk, store.file, bar.warning)
            follower = roster_follower(store)
            options = RunOptions(
                stop=stop,
                play_held=play_held,
                keep_logs=keep_logs,
                remote=remote,
                follower=follower,
            )
            if web is not None:
                companion = partial(_pages, web, store, bar, configuration.game)
                options = replace(options, companion=companion)
            standings = await run_tournament(configuration, store, bar, options)
            nursery.cancel_scope.cancel()
    for sentence in standings.unplayed:
        complain(str(sentence))
    if standings.complete:
        return standings, FAILED if _missed_by_hosted(configuration, store) else DONE
    return standings, INTERRUPTED if stop.is_set() else FAILED


def _missed_by_hosted(configuration: TournamentConfiguration, store: Store) -> bool:
    """Whether a bot that is started here has missed matches: the host should see to it."""
    hosted = {bot.name for bot in configuration.bots if not bot.external}
    missed = store.tournaments.missed(configuration.name)
    return any(name in hosted and reason != WITHDRAWN for name, reason in missed)


@asynccontextmanager
async def _pages(
    settings: Mapping[str, Any],
    store: Store,
    reporter: Reporter,
    game: str,
    server: Server,
    journal: StoreJournal,
) -> AsyncIterator[None]:
    """Web pages beside a tournament; people play elsewhere: its bots are not kept waiting."""
    sources = PageSources(store, server, journal, game=game)
    async with pages({"play": "off", **settings}, sources) as where:
        reporter.pages(where)
        yield


def _points(configuration: TournamentConfiguration, store: Store) -> dict[str, float]:
    """The bots' data from earlier runs."""
    if configuration.name not in [row.name for row in store.tournaments.all()]:
        return {}
    return {row.name: row.points for row in store.tournaments.standings(configuration.name).rows}
