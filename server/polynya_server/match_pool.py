"""Runs the matches in play: each begins when its bots have room, and has its own task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import trio

from polynya_common.reasons import Reason
from polynya_games import RulesFailed, State
from polynya_protocol.messages import RatingChange
from polynya_server.errors import NO_NEW_MATCHES, ServerStoppingError
from polynya_server.match.late_answer import rules_failure, why_rules_failed
from polynya_server.match.match import Match
from polynya_server.match.match_setup import (
    GameLoader,
    check_setup,
    create_initial_state,
    match_terms,
    with_deal,
)
from polynya_server.match.pending_turn import PendingTurn
from polynya_server.match.result import record_without_position
from polynya_server.match.seat import Participant
from polynya_server.match.waiting_referee import in_thread
from polynya_server.metrics.counters import MatchMetrics, ServerMetrics
from polynya_server.records import Journal, MatchRecord, MatchSetup
from polynya_server.sessions.bot_registry import BotRegistry
from polynya_server.spectating.spectator_hub import SpectatorHub
from polynya_server.timing.collector import PausedCollector
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay
from polynya_server.timing.machine_load import LoadMeter


class MatchPool:
    """Plays matches.

    Args:
        load_game: gives the game of a name.
        ready_ms: how long the players of a match may take to get ready.
        nursery: for the matches' tasks.
        deadlines: keeps their deadlines.
        loop_delay: measures while there are matches.
        collector: paused while there are matches; None leaves it on.
        metrics: count turns, forfeits and results.
        journal: keeps the records.
        registry: gives the bots' seats.
        hub: shows the matches.

    Attributes:
        closed: whether it begins no more matches.
    """

    def __init__(
        self,
        load_game: GameLoader,
        ready_ms: int,
        nursery: trio.Nursery,
        deadlines: DeadlineQueue,
        loop_delay: LoopDelay,
        collector: PausedCollector | None,
        metrics: ServerMetrics,
        journal: Journal,
        registry: BotRegistry,
        hub: SpectatorHub,
    ) -> None:
        self.closed = False
        self._load_game = load_game
        self._ready_ms = ready_ms
        self._nursery = nursery
        self._deadlines = deadlines
        self._loop_delay = loop_delay
        self._collector = collector
        self._metrics = metrics
        self._journal = journal
        self._registry = registry
        self._hub = hub
        self._meter = LoadMeter(deadlines.now)
        self._matches: dict[str, Match] = {}

    def __len__(self) -> int:
        """How many matches are being played."""
        return len(self._matches)

    def __contains__(self, match: str) -> bool:
        """Whether the match of this id is being played, shown or not."""
        return match in self._matches

    async def play(
        self,
        setup: MatchSetup,
        seats: Mapping[str, Participant],
        instances: Mapping[str, int],
    ) -> MatchRecord:
        """See :meth:`~polynya_server.server.Server.play`."""
        check_setup(setup)
        _check_seats(setup, seats)
        setup = with_deal(self._load_game, setup)
        initial = await self._initial_state(setup)
        if isinstance(initial, MatchRecord):
            await self._keep_record(initial)
            return initial
        state, options = initial
        fixed = {*seats, *instances}
        await self._wait_for_room([name for name in setup.players if name not in fixed])
        if setup.match in self._matches:
            raise ValueError(f"a match {setup.match} is being played already")
        match = Match(
            setup,
            state,
            options,
            self._seat_players(setup, seats, instances),
            self._deadlines,
            self._ready_ms,
            self._keep_record,
            self._meter,
            match_terms(self._load_game, setup),
        )
        match.add_listener(MatchMetrics(self._metrics))
        self._matches[setup.match] = match
        self._nursery.start_soon(self._run, match)
        return await match.result()

    async def _initial_state(self, setup: MatchSetup) -> tuple[State, dict[str, Any]] | MatchRecord:
        """The initial position and the options; the record of an annulled match if rules fail."""
        create = partial(create_initial_state, self._load_game, setup)
        try:
            if self._load_game(setup.game).waits:
                return await in_thread(create)
            return create()
        except RulesFailed as error:
            why, failure = why_rules_failed(0, error), rules_failure(error)
            return record_without_position(setup, why, failure)

    def pending_turn(self, on_deadline: Callable[[], None]) -> PendingTurn:
        """See :meth:`~polynya_server.server.Server.pending_turn`."""
        return PendingTurn(self._deadlines, self._loop_delay, on_deadline)

    def turn_number(self, match: str) -> int | None:
        """Current turn of a match, from 1; 0 before the first, None if it is not in play."""
        found = self._matches.get(match)
        return None if found is None else found.turn_number

    def abort(self, why: Reason) -> None:
        """Abort all matches."""
        for match in list(self._matches.values()):
            match.abort(why)

    async def wait_empty(self) -> None:
        """Wait until no match is being played."""
        while self._matches:
            await self._registry.changes.wait(self._registry.changes.version)

    async def wait_all_shown(self) -> None:
        """Wait until delayed spectators have been sent everything."""
        while self._hub.waiting:
            await self._registry.changes.wait(self._registry.changes.version)

    async def _run(self, match: Match) -> None:
        with self._counted(match), self._hub.showing(match):
            await match.run()

    @contextmanager
    def _counted(self, match: Match) -> Iterator[None]:
        self._loop_delay.begin()
        if self._collector is not None:
            self._collector.begin()
        try:
            yield
        finally:
            self._loop_delay.end()
            if self._collector is not None:
                self._collector.end()
            del self._matches[match.match]
            self._registry.changes.notify()

    async def _keep_record(self, record: MatchRecord) -> Sequence[RatingChange]:
        with self._metrics.record(record.reason):
            return await self._journal.finish(record)

    def _seat_players(
        self,
        setup: MatchSetup,
        seats: Mapping[str, Participant],
        instances: Mapping[str, int],
    ) -> list[Participant]:
        session = self._registry.for_match
        return [
            seats.get(name) or session(name, instances.get(name)).take_seat(setup.match, seat_index)
            for seat_index, name in enumerate(setup.players)
        ]

    async def _wait_for_room(self, names: Sequence[str]) -> None:
        await trio.lowlevel.checkpoint()
        while True:
            version = self._registry.changes.version
            if self.closed:
                raise ServerStoppingError(NO_NEW_MATCHES)
            bots = (self._registry.bots.get(name) for name in names)
            if all(bot is None or bot.is_free for bot in bots):
                return
            await self._registry.changes.wait(version)


def _check_seats(setup: MatchSetup, seats: Mapping[str, Participant]) -> None:
    """Refuse seats for players that the match does not have."""
    unknown = sorted(set(seats) - set(setup.players))
    if unknown:
        raise ValueError(f"{unknown[0]} has a seat, but is none of the match's players")
