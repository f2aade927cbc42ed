"""``polynya serve``: the standing server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import trio
from cyclopts import Parameter

from polynya_app.allocator import return_free_memory_regularly, use_one_arena
from polynya_app.console.announcements import Announcements, configure_logs
from polynya_app.flags.flag_groups import Limits, WebFlags, opens_workers, words_of
from polynya_app.flags.parameters import Options, read_options
from polynya_app.flags.setting_flags import flags, given
from polynya_app.serve_settings import (
    DEFAULT_CLOCK,
    DEFAULT_PORT,
    FLAG_SETTINGS,
    ServeSettings,
    in_tables,
    read_serve_settings,
)
from polynya_app.signals import stop_on_signals
from polynya_app.standby import opened_for_play
from polynya_app.web_pages import pages
from polynya_common.database_address import database_address
from polynya_common.errors import (
    ConfigurationError,
    StoreError,
    TournamentError,
    unwrap_single_error,
)
from polynya_common.extras import require_packages
from polynya_common.reasons import Cause
from polynya_common.text import why_unopened
from polynya_foreign.rules_box import box_rules
from polynya_hosting.bots.sandboxed_bots import working_sandbox
from polynya_server import Server
from polynya_server.log import log
from polynya_server.records import MatchRecord
from polynya_server.settings import SETTINGS
from polynya_store import Store, StoreJournal, ladder_claim, open_journal
from polynya_store.disk_space import watch_disk
from polynya_tournaments.ladder.failed_rules import LadderFailures
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder
from polynya_tournaments.ladder.operator_control import OperatorControl, OperatorKey, operator_key
from polynya_tournaments.ladder.roster_follower import roster_follower
from polynya_tournaments.ladder.roster_sync import RosterPoller
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.tournament.game_server import listening
from polynya_tournaments.tournament.manager import (
    ManagerSettings,
    TournamentManager,
    open_tournament_manager,
)
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import RunProgress
from polynya_tournaments.uploads.service import UploadService, open_uploads
from polynya_tournaments.uploads.tournament_bots import with_uploads
from polynya_web.page_sources import PageSources


class Log(Announcements):
    """Writes the listening line for programs that wait for it, all else to the log."""

    def match_begins(self, match: str, players: Sequence[str], why: Cause) -> None:
        """The paired bots, and the reason."""
        log.info("a match begins", match=match, players=players, why=why)

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        """The ranking of a match."""
        setup = record.setup
        ranking = (
            None
            if record.ranking is None
            else dict(zip(setup.players, record.ranking, strict=True))
        )
        log.info("a match is over", match=setup.match, reason=record.reason, ranking=ranking)

    def warning(self, sentence: str) -> None:
        """A failure."""
        log.warning(sentence)


class ContestLog(Log):
    """The same for tournaments beside the ladder, whose addresses no program waits for."""

    def listening(self, host: str, port: int) -> None:
        """Where its bots connect."""
        log.info("a tournament listens", host=host, port=port)

    def waiting(self, names: Sequence[str]) -> None:
        """The bots that are still to come."""
        log.info("a tournament waits for bots", bots=names)


if TYPE_CHECKING:
    from typing import Any as LadderFlags
    from typing import Any as ServerFlags
else:
    LadderFlags = flags("Matches", FLAG_SETTINGS, {})
    ServerFlags = flags(
        "Server",
        SETTINGS,
        {"port": str(DEFAULT_PORT), "open_registration": "on loopback only"},
    )


async def serve(
    file: Annotated[Path | None, Parameter(show_default=False)] = None,
    /,
    *,
    limits: Limits | None = None,
    option: Options = (),
    standby: bool = False,
    web: WebFlags | None = None,
    ladder: LadderFlags | None = None,
    server: ServerFlags | None = None,
) -> None:
    """Run a standing server: bots connect, and the ladder pairs the free ones.

    Matches are rated and recorded. Prints "listening on HOST:PORT" to standard
    error when bots can connect, and a log. Ctrl-C, SIGTERM or SIGHUP ends it in
    order: no new matches; matches in play finish within the grace time or are
    aborted without a rating; exit code 0. A second signal ends it at once.

    A TOML file may have all settings: those of the server in its table
    [server], the clock in [clock], options in [options], ratings in [rating],
    uploads in [uploads], the web pages in [web]. Flags override the file.
    Without a clock, a bot has 60 s for a match and 500 ms more per turn.

    Args:
        file: A TOML file with settings.
        limits: The clock.
        option: A set-up option, key=value (JSON, or else text) or key=@FILE; may be repeated.
        standby: Wait while another server plays this ladder, and take over when it is gone.
        web: Where web pages are served.
        ladder: The settings of the ladder.
        server: The server's settings.
    """
    use_one_arena()  # before any thread is started
    words: dict[str, Any] = {**in_tables(given(ladder)), "server": given(server)}
    if option:
        words["options"] = read_options(option)
    if limits is not None and limits.is_given:
        words["clock"] = limits.clock(DEFAULT_CLOCK)
    if (pages_words := words_of(web)) is not None:
        words["web"] = pages_words
    settings = read_serve_settings(file, words)
    box_rules(settings.game, settings.sandbox)
    playing = settings.ladder()
    folder = settings.operator.tournaments
    if folder is not None and not Path(folder).is_dir():
        raise ConfigurationError(f"operator.tournaments: there is no folder {folder}")
    configure_logs(logging.INFO)
    with unwrap_single_error():
        async with trio.open_nursery() as nursery:
            start = _Start()
            await nursery.start(stop_on_signals, start.stop, lambda: log.info("stopping"))
            nursery.start_soon(start.cancel_if_stopped)
            with start.scope:
                await _opened_and_served(settings, playing, start, standby=standby)
            nursery.cancel_scope.cancel()


class _Start:
    """The time before the server listens: a signal cancels what is done then.

    Attributes:
        stop: set when the server is to end.
        is_over: whether it listens: from then on it ends in order.
        scope: of all that it does.
    """

    def __init__(self) -> None:
        self.stop = trio.Event()
        self.is_over = False
        self.scope = trio.CancelScope()

    async def cancel_if_stopped(self) -> None:
        """Wait for the signal."""
        await self.stop.wait()
        if not self.is_over:
            self.scope.cancel()


async def _opened_and_served(
    settings: ServeSettings, ladder: LadderSettings, start: _Start, *, standby: bool
) -> None:
    await working_sandbox(settings.sandbox)
    address, reporter = database_address(settings.database), Log()
    async with AsyncExitStack() as stack:
        tell = await _standby_health(stack, settings, reporter.say) if standby else reporter.say
        opened = await opened_for_play(address, [ladder_claim(ladder.pool)], tell, standby=standby)
    if opened is None:
        return
    with opened as store:
        store.start_writer_process()
        await _serve(settings, ladder, store, reporter, start)


async def _standby_health(
    stack: AsyncExitStack, settings: ServeSettings, say: Callable[[str], None]
) -> Callable[[str], None]:
    """Answer for a process on standby, if that is asked for; what it is to tell, and hear."""
    told = ["standing by"]

    def tell(sentence: str) -> None:
        told[0] = sentence
        say(sentence)

    if settings.metrics.port is not None:
        _require_http()
        from polynya_server.metrics.standby_http import open_standby_http

        host, port = settings.metrics.host, settings.metrics.port
        with _unopened_explained(host, port):
            address = await stack.enter_async_context(
                open_standby_http(host, port, lambda: told[0])
            )
        log.info("health is served", address=address)
    return tell


async def _serve(
    settings: ServeSettings, ladder: LadderSettings, store: Store, reporter: Log, start: _Start
) -> None:
    stop = start.stop
    seen = store.bots.roster()  # before anything else reads it: no change in between is missed
    suspensions = Suspensions.recorded(ladder.suspend_after, store)
    async with AsyncExitStack() as stack:
        journal = await stack.enter_async_context(open_journal(store, reporter.warning))
        server = await stack.enter_async_context(
            listening(settings.make_server_settings(), journal, settings.game, settings.players)
        )
        await _monitor(stack, settings, server, store)
        switch, failures = PauseSwitch(), LadderFailures()
        held = stack.enter_context(ExitStack())
        described = settings.operator.tournaments
        uploaded = settings.uploads.folder
        tournaments = await stack.enter_async_context(
            open_tournament_manager(
                ManagerSettings(
                    folder=None if described is None else Path(described),
                    grace_ms=settings.grace_ms,
                    sandbox=settings.sandbox,
                    prepare=partial(with_uploads, store=store, held=held, folder=uploaded),
                    opens_workers=opens_workers,
                    follower=roster_follower,
                ),
                store,
                ContestLog(),
            )
        )
        uploads = await _uploads(settings, store, server, journal)
        if settings.web is not None:
            key = _operator_key(settings, store)
            control = OperatorControl(
                key.token_hash, tournaments, switch, settings.shown, failures.recent
            )
            reception = None if uploads is None else uploads.reception
            sources = PageSources(
                store, server, journal, control, reception=reception, game=settings.game
            )
            where = await stack.enter_async_context(pages(settings.web, sources))
            key.hand_over(store, reporter.operator_token)
            reporter.pages(where)
        nursery = await stack.enter_async_context(trio.open_nursery())
        nursery.start_soon(_stop_all, server, journal, tournaments, stop, settings.grace_ms)
        if store.file is not None:
            nursery.start_soon(watch_disk, store.file, reporter.warning)
        nursery.start_soon(RosterPoller(store, server, suspensions, seen=seen).run)
        if uploads is not None:
            nursery.start_soon(return_free_memory_regularly)
            await nursery.start(uploads.run)
        start.is_over = True
        reporter.listening(server.host, server.port)
        for note in store.opening_notes:
            log.warning(note)
        referee = server if uploads is None else uploads.host
        await run_ladder(ladder, referee, journal, stop, reporter, suspensions, switch, failures)
        await server.stop(settings.grace_ms)
        await tournaments.end()
        nursery.cancel_scope.cancel()


async def _uploads(
    settings: ServeSettings, store: Store, server: Server, journal: StoreJournal
) -> UploadService | None:
    """The service that takes uploads, if any are taken."""
    if settings.uploads.folder is None:
        return None
    return await open_uploads(
        Path(settings.uploads.folder),
        store,
        server,
        journal,
        settings.contest,
        settings.uploads,
    )


async def _monitor(
    stack: AsyncExitStack, settings: ServeSettings, server: Server, store: Store
) -> None:
    """Serve metrics and health, if that is asked for."""
    if settings.metrics.port is None:
        return
    _require_http()
    from polynya_server.metrics.metrics_http import open_metrics_http

    host, port = settings.metrics.host, settings.metrics.port
    with _unopened_explained(host, port):
        address = await stack.enter_async_context(
            open_metrics_http(
                server,
                host,
                port,
                partial(database_gauges, store),
                store.reachability.problem,
            )
        )
    log.info("metrics are served", address=address)


def _require_http() -> None:
    require_packages("hypercorn", "prometheus_client", "starlette")


@contextmanager
def _unopened_explained(host: str, port: int) -> Iterator[None]:
    try:
        with unwrap_single_error():
            yield
    except OSError as error:
        why = why_unopened(error)
        raise TournamentError(f"cannot serve metrics on {host}:{port}: {why}") from error


def database_gauges(store: Store) -> list[tuple[str, str, float]]:
    """Whether the database of a server that plays answers, its size, and the free space."""
    is_reachable = store.reachability.problem() is None
    answers = ("database_reachable", "Whether the database answers", float(is_reachable))
    if not is_reachable:
        return [answers]  # to look for it would take longer than Prometheus waits
    try:
        use = store.measure()
    except (StoreError, OSError):  # away, or the folder is gone
        return [answers]
    return [
        answers,
        ("database_bytes", "Size of the database", use.database),
        ("disk_free_bytes", "Free space on the database's disk", use.free),
    ]


def _operator_key(settings: ServeSettings, store: Store) -> OperatorKey:
    given = settings.operator.token_file
    return operator_key(store, None if given is None else Path(given))


async def _stop_all(
    server: Server,
    journal: StoreJournal,
    tournaments: TournamentManager,
    stop: trio.Event,
    grace_ms: int,
) -> None:
    await stop.wait()
    journal.end_within(grace_ms / 1000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.stop, grace_ms)
        nursery.start_soon(tournaments.end)
