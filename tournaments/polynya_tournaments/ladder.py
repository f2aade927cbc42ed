"""Playing for ever: connected bots that are free are paired, match by match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import trio

from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_tournaments.errors import StoreError, one_error
from polynya_tournaments.ladder_history import History
from polynya_tournaments.matchmaking import Choice, Matchmaker
from polynya_tournaments.overload import Overload
from polynya_tournaments.playing import Patience, Playing, Referee
from polynya_tournaments.rating import RatingSettings, Strength, begins_with, version_of
from polynya_tournaments.reporter import Progress, Reporter
from polynya_tournaments.seeds import match_seed
from polynya_tournaments.store import Attempt, Pool, StoreJournal
from polynya_tournaments.store.ladder_queries import PREFIX
from polynya_tournaments.suspensions import Suspensions
from polynya_tournaments.switch import Switch


@dataclass(frozen=True, slots=True)
class LadderSettings:
    """What the matches of a ladder are.

    Attributes:
        game: the name of an installed game.
        clock: the time limits.
        players: the number of players of a match.
        options: the game's set-up options.
        seed: decides set-ups and ties between bots.
        rating: how the matches are rated.
        concurrency: how many matches are played at the same time.
        seat_games: so many matches at each seat a bot has before information decides whom it meets.
        pace_ms: how long a bot rests after a match.
        suspend_after: a bot that forfeits so many matches in a row by a timeout, a protocol error
            or a lost connection is suspended; 0 for never.
    """

    game: str
    clock: Clock
    players: int = 2
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    rating: RatingSettings = field(default_factory=RatingSettings)
    concurrency: int = 64
    seat_games: int = 3
    pace_ms: int = 0
    suspend_after: int = 5


async def run_ladder(
    settings: LadderSettings,
    server: Referee,
    journal: StoreJournal,
    stop: trio.Event,
    reporter: Reporter | None = None,
    suspensions: Suspensions | None = None,
    switch: Switch | None = None,
) -> None:
    """Pair and play until ``stop`` is set and the matches in play have ended.

    To end those soon, the caller calls ``server.stop()`` when ``stop`` is set. A bot that was not
    ready for three matches in a row is left out until it connects again. One that keeps failing is
    suspended, which the store keeps; ``suspensions`` are those that it holds, unless they are
    given by a caller that takes bots out of them. ``switch`` pauses the ladder.

    Raises:
        StoreError: the database cannot be written.
    """
    if suspensions is None:
        suspensions = Suspensions.recorded(settings.suspend_after, journal.store)
    ladder = _Ladder(settings, server, journal, reporter or Reporter(), suspensions, switch)
    with one_error():
        await ladder.run(stop)


class _Ladder:
    """One call of ``run_ladder``."""

    def __init__(
        self,
        settings: LadderSettings,
        referee: Referee,
        journal: StoreJournal,
        reporter: Reporter,
        suspensions: Suspensions,
        switch: Switch | None,
    ) -> None:
        self._settings = settings
        self._journal = journal
        self._suspensions = suspensions
        self._referee = referee
        self._reporter = reporter
        self._playing = Playing(referee, journal, reporter, switch)
        self._patience = Patience()
        self._overload = Overload()
        self._left_out: dict[str, object] = {}
        self._maker = Matchmaker(
            settings.players, settings.seat_games, settings.rating, settings.seed
        )
        # Who was free is not recorded: when a server starts nobody has waited yet.
        self._history = History()
        for players in journal.store.ladder_matches(settings.game, settings.players):
            self._history.add(players)
        self._pool = Pool(settings.game, settings.players, settings.rating.system)
        self._known = journal.store.strengths(self._pool)
        self._number = journal.store.last_ladder_number()
        self._played = 0

    async def run(self, stop: trio.Event) -> None:
        """Begin what can begin, whenever something has changed."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._playing.watch)
            nursery.start_soon(self._wake_when, stop)
            while not stop.is_set():
                await self._begin_possible(nursery, stop)
                await self._playing.wait()
            while self._playing.matches:
                await self._playing.wait()
            nursery.cancel_scope.cancel()

    async def _wake_when(self, stop: trio.Event) -> None:
        await stop.wait()
        self._playing.wake()

    async def _begin_possible(self, nursery: trio.Nursery, stop: trio.Event) -> None:
        while self._playing.matches < self._settings.concurrency and not stop.is_set():
            free = {n for n in self._playing.free(self._settings.game) if not self._is_left_out(n)}
            others = len(self._playing.busy() - free)
            choice = self._maker.next_match(free, others, self._history, self._strengths(free))
            if choice is None:
                return
            self._history.add(choice.players, free)
            self._playing.occupy(choice.players)
            nursery.start_soon(self._play, choice, nursery)
            # Many choices in a row must not keep the server from its clocks.
            await trio.lowlevel.checkpoint()

    def _strengths(self, names: Iterable[str]) -> dict[str, Strength]:
        """The bots' strengths, with the version that each runs now."""
        settings = self._settings.rating
        connected = self._referee.connected
        return {
            name: begins_with(
                settings,
                self._known.get(name),
                version_of(connected[name].software),
                settings.anchors.get(name),
            )
            for name in names
        }

    def _is_left_out(self, name: str) -> bool:
        if name in self._suspensions.names:
            return True
        if name not in self._left_out:
            return False
        if self._connection(name) is not self._left_out[name]:
            del self._left_out[name]
            return False
        return True

    def _connection(self, name: str) -> object:
        """What a bot is connected by; its session may outlast that. None if it is away."""
        bot = self._referee.connected.get(name)
        return None if bot is None else bot.connection

    async def _play(self, choice: Choice, nursery: trio.Nursery) -> None:
        self._number += 1
        players, attempt = choice.players, self._attempt(self._number, choice)
        self._reporter.match_begins(attempt.setup.match, players, choice.why)
        record = None
        connections = {name: self._connection(name) for name in players}
        try:
            # Who waits for a bot that a person plays with might be paired with others.
            record = await self._playing.play(attempt, may_wait=False)
            if record is not None:
                await self._suspend(record)
                await self._learn(players)
        finally:
            self._playing.rest(players, self._rest_s(players, record), nursery)
            self._playing.release(players)
        if record is not None:
            self._played += record.ranking is not None
            self._leave_out(record, connections)
            done = Progress(self._played, self._played, self._playing.matches, self._played)
            self._reporter.match_over(record, done)

    async def _learn(self, names: Collection[str]) -> None:
        """What is known of bots now that they have been rated."""
        strengths = self._journal.store.strengths
        try:
            found = await trio.to_thread.run_sync(strengths, self._pool, names)
        except StoreError as error:
            self._reporter.warning(f"new ratings are not seen for now: {error}")
        else:
            self._known.update(found)

    def _rest_s(self, players: tuple[str, ...], record: MatchRecord | None) -> float:
        """How long the players of a match rest after it, in seconds."""
        pace_s = self._settings.pace_ms / 1000
        if record is not None and record.server_fault:
            return max(pace_s, self._overload.annulled(*players))
        self._overload.kept_up(*players)
        return pace_s

    def _attempt(self, number: int, choice: Choice) -> Attempt:
        settings = self._settings
        name = f"{PREFIX}-{number}"
        setup = MatchSetup(
            match=name,
            game=settings.game,
            players=choice.players,
            clock=settings.clock,
            seed=match_seed(settings.seed, name),
            options=settings.options,
        )
        return Attempt(setup, settings.rating, why=choice.why)

    async def _suspend(self, record: MatchRecord) -> None:
        for name, why in self._suspensions.suspended_by(record).items():
            await self._journal.suspend(name, why)
            self._reporter.warning(
                f"bot {name} is suspended: {why}; 'polynya bots resume {name}' puts it back"
            )

    def _leave_out(self, record: MatchRecord, connections: Mapping[str, object]) -> None:
        """``connections`` are those of the match's bots when it began."""
        for name in self._patience.exhausted_by(record):
            self._left_out[name] = connections[name]
            self._reporter.warning(
                f"bot {name} was not ready for {Patience.MOST} matches in a row; "
                "it gets no more until it connects again"
            )
