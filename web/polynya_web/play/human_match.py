"""One match of a person from its request to its end: players, record, and absence."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from polynya_common.errors import RunError, unwrap_single_error
from polynya_common.reasons import Reason
from polynya_contest.config.builtin_bots import builtin_command
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.ratings.model import RatingSettings
from polynya_hosting.bots.supervised_process import Address, HostServer
from polynya_hosting.bots.supervisor import HostedBot
from polynya_protocol.messages import Clock
from polynya_server import MatchSetup, Server, ServerStoppingError, players_of
from polynya_server.log import log
from polynya_store import Attempt, StoreJournal
from polynya_web.play.local_seat import LocalSeat
from polynya_web.play.table_state import Phase, SeatPlayer, TableState

START_MS = 60_000
"""Time limit for a bot to connect."""


def hosted(builtin: str, name: str, seed: int, logs: Path) -> HostedBot:
    """A built-in bot that is to be run: it gives way to everything else on this machine.

    Args:
        builtin: which one.
        name: what it is called at the table.
        seed: its ``POLYNYA_SEED``.
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
        logs=str(logs),
        start_ms=START_MS,
        restarts=2,
    )
    return HostedBot(bot, configuration, seed=seed)


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


WAIT_FOR_PLAYERS_S = 2 * START_MS / 1000
"""Time limit for the match to begin."""
_VOID_S = 10


@dataclass(frozen=True, slots=True)
class IdleLimits:
    """How long a person may be idle before the seat is given up, so that the table is free.

    Attributes:
        away_s: with all pages of the match closed.
        turn_s: with a turn to play.
    """

    away_s: float
    turn_s: float


class HumanMatch:
    """A match that a person plays.

    Args:
        setup: what is played.
        seat: the person's.
        programs: the built-in bots that are started for it; invited by the caller.
        owner: SHA-256 of the secret that the person's browser shows.
        visitor: the network that the person's browser asks from.
        idle_limits: how long the person may be idle.

    Attributes:
        setup, seat, programs, owner, visitor: as above.
        pages: how many pages of the person are open.
        failure: the key of the text that says why it failed, None if it did not.
        is_over: whether nothing will happen any more.
    """

    def __init__(
        self,
        setup: MatchSetup,
        seat: LocalSeat,
        programs: Sequence[HostedBot],
        owner: bytes,
        visitor: str,
        idle_limits: IdleLimits,
    ) -> None:
        self.setup = setup
        self.seat = seat
        self.programs = programs
        self.owner = owner
        self.visitor = visitor
        self.pages = 0
        self.failure: str | None = None
        self.is_over = False
        self._idle_limits = idle_limits
        self._scope = trio.CancelScope()

    @property
    def phase(self) -> Phase:
        """The phase of the match."""
        if self.failure is not None:
            return "failed"
        if self.is_over:
            return "over"
        return "playing" if self.seat.ready else "lobby"

    def table(self, since: int, sentence: str | None) -> TableState:
        """The table as the page shows it.

        Args:
            since: the index of the first position that it does not know.
            sentence: why the match failed, in the page's language; None if it did not.
        """
        seat = self.seat
        view = seat.view
        players = players_of(self.setup) if seat.ready else []
        return TableState(
            phase=self.phase,
            seat=seat.seat_index,
            players=[SeatPlayer(player.seat, player.name) for player in players],
            acting=[] if view is None or seat.result else list(view.acting),
            asked=seat.asked,
            over=seat.result,
            sentence=sentence,
            count=0 if view is None else view.count,
            positions=[] if view is None else view.since(since),
        )

    @contextmanager
    def page_open(self) -> Iterator[None]:
        """Count a page of the person as open until the context exits."""
        self.pages += 1
        self.seat.changes.notify()
        try:
            yield
        finally:
            self.pages -= 1
            self.seat.changes.notify()

    async def run(self, server: Server, journal: StoreJournal | None) -> None:
        """Wait for the players, let the server referee, and clear up; it ends in any case."""
        try:
            with unwrap_single_error(), self._scope:
                await self._run(server, journal)
        except Exception:
            log.exception("a person's match failed", match=self.setup.match)
            self._fail("play.failed.bug")
        finally:
            self._clear_up(server)

    def resign(self) -> None:
        """The person gives the match up, or does not begin it."""
        if self.phase == "lobby":
            self._give_up("play.failed.left")
        else:
            self.seat.resign()

    async def _run(self, server: Server, journal: StoreJournal | None) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._leave_when_disconnected)
            nursery.start_soon(self._leave_when_idle)
            nursery.start_soon(self._limit_lobby)
            for bot in self.programs:
                nursery.start_soon(keep_running, bot, server, server.guests, self._bot_lost)
            await self._wait_for_programs(server)
            try:
                await self._play(server, journal)
            except ServerStoppingError:  # caught here: it may come with a cancellation
                self._fail("play.failed.stopping")
            nursery.cancel_scope.cancel()

    async def _wait_for_programs(self, server: Server) -> None:
        """Return when all bots that were started for this match are connected."""
        version = server.version
        while not all(bot.name in server.guests for bot in self.programs):
            version = await server.changed(version)
        for bot in self.programs:
            games = server.guests[bot.name].games
            if games is not None and self.setup.game not in games:
                self._give_up("play.failed.game")

    async def _play(self, server: Server, journal: StoreJournal | None) -> None:
        """Play the match, recorded in the database."""
        setup, seat = self.setup, self.seat
        guests = frozenset([seat.name, *(bot.name for bot in self.programs)])
        try:
            if journal is not None:
                await journal.begin(Attempt(setup, RatingSettings(), guests=guests))
            await server.play(setup, {seat.name: seat})
        except BaseException:
            if journal is not None and not server.plays(setup.match):
                with trio.move_on_after(_VOID_S, shield=True):
                    await journal.void(setup.match, Reason.of("given_up_before_begin"))
            raise

    async def _leave_when_disconnected(self) -> None:
        """Give the seat up when no page of the person has been open for too long."""
        while True:
            await self._wait_until(connected=False)
            with trio.move_on_after(self._idle_limits.away_s) as scope:
                await self._wait_until(connected=True)
            if scope.cancelled_caught:
                break
        if self.phase == "lobby":
            self._give_up("play.failed.left")
        else:
            away_s = self._idle_limits.away_s
            self.seat.leave(Reason.of("page_closed", name=self.seat.name, seconds=away_s))

    async def _leave_when_idle(self) -> None:
        """Give the seat up when a turn was left for too long, though a page is open."""
        seat, turn_s = self.seat, self._idle_limits.turn_s
        while True:
            version, turn = seat.changes.version, seat.asked
            with trio.move_on_after(math.inf if turn is None else turn_s) as scope:
                while seat.asked is turn:
                    version = await seat.changes.wait(version)
            if scope.cancelled_caught:
                seat.leave(Reason.of("turn_not_played", name=seat.name, seconds=turn_s))
                return

    async def _wait_until(self, *, connected: bool) -> None:
        version = self.seat.changes.version
        while (self.pages > 0) is not connected:
            version = await self.seat.changes.wait(version)

    async def _limit_lobby(self) -> None:
        """Give up a match that does not begin."""
        seat = self.seat
        with trio.move_on_after(WAIT_FOR_PLAYERS_S):
            version = seat.changes.version
            while not seat.ready:
                version = await seat.changes.wait(version)
        self._bot_lost()

    def _bot_lost(self) -> None:
        """Handle a lost bot: the match does not begin, or goes on without it."""
        if self.phase == "lobby":
            self._give_up("play.failed.bot")

    def _give_up(self, key: str) -> None:
        self._fail(key)
        self._scope.cancel()

    def _fail(self, key: str) -> None:
        self.failure = self.failure or key
        self.seat.changes.notify()

    def _clear_up(self, server: Server) -> None:
        """Leave the seat and stop the bots that were started for this match."""
        self.seat.leave(Reason.of("pages_closed", name=self.seat.name))
        for bot in self.programs:
            if bot.name in server.guests:
                server.disconnect(bot.name, "the match is over")
            server.guests.dismiss(bot.name)
        if not self.seat.ready:
            self._fail("play.failed.stopping")
        self.is_over = True
        self.seat.changes.notify()
