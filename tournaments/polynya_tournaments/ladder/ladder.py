"""The ladder: pairs connected bots that are free, match by match, until it is stopped."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import trio

from polynya_common.errors import unwrap_single_error
from polynya_common.reasons import Reason
from polynya_common.text import join_words
from polynya_contest.conduct import faults
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.ratings.pool import Pool, pool_of
from polynya_games import LEAST_PLAYERS, load
from polynya_hosting.bots.cores import matches_on
from polynya_protocol.messages import Clock
from polynya_server import ConnectedBot
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Attempt, StoreJournal
from polynya_store.backends.sql import now_ms
from polynya_tournaments.ladder.failed_rules import LadderFailures
from polynya_tournaments.ladder.matchmaking import Choice, Matchmaker
from polynya_tournaments.ladder.pairing_history import KnownRatings, PairingHistory
from polynya_tournaments.ladder.present_bots import FairShare, PresentBots, Standing
from polynya_tournaments.ladder.slot_time import SlotTime
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.ladder.trust import Trust
from polynya_tournaments.tournament.backoff import AnnulmentBackoff
from polynya_tournaments.tournament.match_runner import (
    MatchRunner,
    MatchServer,
    played_by,
    plays,
)
from polynya_tournaments.tournament.notices import LadderNotices, Notifier
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress


@dataclass(frozen=True, slots=True)
class LadderSettings:
    """The kind of a ladder's matches.

    Attributes:
        game: the name of an installed game.
        clock: the time limits.
        players: the number of players of a match.
        options: the game's set-up options.
        seed: decides set-ups and ties between bots, if a host names one; without, they follow from
            the secret of the month.
        rating: how the matches are rated.
        concurrency: how many matches are played at the same time; a match of a game with joint
            turns counts as many as it has seats.
        seat_games: matches a bot plays in each seat before pairing goes by information gain.
        pace_ms: how long a bot rests after a match.
        suspend_after: a bot is suspended when this many matches in a row, or half of its last 20,
            ended by its own fault (``conduct.py`` says what that is); 0 for never.
    """

    game: str
    clock: Clock
    players: int = LEAST_PLAYERS
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    rating: RatingSettings = field(default_factory=RatingSettings)
    concurrency: int = 64
    seat_games: int = 3
    pace_ms: int = 0
    suspend_after: int = 5

    @property
    def at_once(self) -> int:
        """The most matches at the same time, at least one."""
        return matches_on(self.concurrency, self.game, self.players)

    @property
    def pool(self) -> Pool:
        """The pool that its matches are rated in."""
        return pool_of(self.game, self.players, self.rating.system, self.clock, self.options)


class LadderReferee(MatchServer, Notifier, Protocol):
    """The parts of the server that a ladder needs."""

    def watching_bots(self, changed: Callable[[str], None]) -> AbstractContextManager[None]:
        """Call ``changed`` with the name of each bot whose session changes."""


async def run_ladder(
    settings: LadderSettings,
    server: LadderReferee,
    journal: StoreJournal,
    stop: trio.Event,
    reporter: Reporter | None = None,
    suspensions: Suspensions | None = None,
    switch: PauseSwitch | None = None,
    failures: LadderFailures | None = None,
) -> None:
    """Pair and play until ``stop`` is set and the matches in play have ended.

    To end those soon, the caller calls ``server.stop()`` when ``stop`` is set. A bot rests after a
    match that ended by its own fault, and is suspended when it keeps failing; both follow from the
    matches in the store. ``suspensions`` are those that it holds, unless they are given by a caller
    that takes bots out of them. ``switch`` pauses the ladder. ``failures`` collects the matches in
    which the rules of the game failed: ``failed_rules.py`` says what follows from them.

    Raises:
        StoreError: the database cannot be written.
    """
    if suspensions is None:
        suspensions = Suspensions.recorded(settings.suspend_after, journal.store)
    ladder = _Ladder(
        settings,
        server,
        journal,
        reporter or Reporter(),
        suspensions,
        switch or PauseSwitch(),
        failures or LadderFailures(),
    )
    with unwrap_single_error():
        await ladder.run(stop)


class _Ladder:
    """One call of ``run_ladder``."""

    def __init__(
        self,
        settings: LadderSettings,
        referee: LadderReferee,
        journal: StoreJournal,
        reporter: Reporter,
        suspensions: Suspensions,
        switch: PauseSwitch,
        failures: LadderFailures,
    ) -> None:
        self._settings = settings
        self._journal = journal
        self._suspensions = suspensions
        self._referee = referee
        self._reporter = reporter
        self._changed: set[str] = set()
        self._playing = MatchRunner(referee, journal, reporter, switch, self._changed.update)
        self._overload = AnnulmentBackoff()
        self._switch = switch
        self._failures = failures
        conduct, now = suspensions.conduct, trio.current_time
        self._trust = Trust(settings.players, settings.at_once, conduct, now)
        self._slot_time = SlotTime(now)
        self._notices = LadderNotices(referee, settings.game, journal.store.bots.suspensions())
        self._rests_until_s: dict[str, float] = {}
        history = PairingHistory(*journal.store.ladder.pasts(settings.pool))
        secret = journal.store.ladder.ready_secret(settings.seed)
        lots = int.from_bytes(secret.lots(history.matches), "big")
        self._maker = Matchmaker(
            settings.players, settings.seat_games, settings.rating, lots, history
        )
        share = FairShare(settings.at_once, settings.players)
        self._bots = PresentBots(history, share, self._maker.free_bots)
        self._ratings = KnownRatings(
            journal.store, settings.pool, settings.rating, reporter.warning
        )
        self._played = 0

    async def run(self, stop: trio.Event) -> None:
        """Begin matches whenever something has changed."""
        note = self._ratings.note
        with self._referee.watching_bots(self._changed.add), self._journal.watching_matches(note):
            self._changed.update(self._referee.connected)
            await self._run(stop)

    async def _run(self, stop: trio.Event) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._playing.watch)
            nursery.start_soon(self._wake_when, stop)
            self._suspensions.on_change = self._note_host
            self._suspensions.on_recomputed = partial(self._note_recomputed, nursery)
            for name, seconds in self._suspensions.resting(now_ms()).items():
                self._rest(name, seconds, nursery)
            while not stop.is_set():
                self._note_changes()
                await self._begin_possible(nursery, stop)
                await self._playing.wait()
            while self._playing.matches:
                await self._playing.wait()
            nursery.cancel_scope.cancel()

    async def _wake_when(self, stop: trio.Event) -> None:
        await stop.wait()
        self._playing.notify()

    def _note_host(self, name: str) -> None:
        """Follow a suspension or reinstatement by the host."""
        if name in self._suspensions.names:
            self._notices.suspended(name, Reason.of("suspended_by_its_host"))
        else:
            self._notices.resumed(name)
            self._failures.forget(name)
        self._changed.add(name)
        self._playing.notify()

    def _note_recomputed(self, nursery: trio.Nursery, number: int) -> None:
        """Reload history and ratings after the host has annulled matches or recomputed ratings."""
        self._ratings.note_recomputed(number)
        nursery.start_soon(self._ratings.refresh)
        rests_s = self._suspensions.resting(now_ms())
        for name, until_s in list(self._rests_until_s.items()):
            left_s = rests_s.get(name, 0.0)
            if trio.current_time() + left_s < until_s:
                self._rest(name, left_s, nursery)
        self._changed.update(self._referee.connected)
        self._playing.notify()

    async def _begin_possible(self, nursery: trio.Nursery, stop: trio.Event) -> None:
        while self._playing.matches < self._settings.at_once and not stop.is_set():
            choice = self._choose()
            if choice is None:
                return
            self._playing.reserve(choice.players)
            nursery.start_soon(self._play, choice, nursery)
            # Many choices in a row must not keep the server from its clocks.
            await trio.lowlevel.checkpoint()

    def _choose(self) -> Choice | None:
        self._note_changes()
        if self._playing.paused:
            return None
        for group in self._trust.groups(self._bots):
            with group.free.joined_by(group.joining):
                choice = self._maker.next_match(group.free, group.others, self._ratings.strengths)
            if choice is not None:
                self._bots.begin(choice.players)
                return choice
        return None

    def _note_changes(self) -> None:
        """Update the standings of bots that have changed since the last choice."""
        while self._changed:
            name = self._changed.pop()
            bot = self._referee.connected.get(name)
            willing = bot is None or plays(bot, self._settings.game)
            self._notices.plays(name, willing=willing)
            self._bots.update(name, None if bot is None else self._standing(bot))

    def _standing(self, bot: ConnectedBot) -> Standing | None:
        """The standing of a connected bot; None if it gets no matches now."""
        slow = bot.name in self._slot_time.slow
        has_room = self._playing.has_room(bot, self._settings.game)
        has_room = has_room and not (slow and self._playing.in_play(bot.name))
        plays_here = has_room or self._playing.is_busy(bot.name)
        if not (plays_here and self._is_welcome(bot.name)):
            return None
        conduct = self._suspensions.conduct(bot.name)
        return Standing(
            places=1 if slow else bot.concurrency,
            has_room=has_room,
            in_play=self._playing.in_play(bot.name),
            proven=conduct.proven,
            at_fault=conduct.in_a_row > 0,
            late=self._slot_time.is_late(bot.name),
        )

    def _is_welcome(self, name: str) -> bool:
        """Whether a bot is neither suspended nor resting for its conduct."""
        if name in self._suspensions.names:
            return False
        rests = trio.current_time() < self._rests_until_s.get(name, -math.inf)
        return not (rests and self._suspensions.conduct(name).rest_s)

    async def _play_attempt(
        self, attempt: Attempt, begun: Callable[[MatchSetup], None]
    ) -> MatchRecord | None:
        """Begin a match and play it; None if it was broken off.

        ``begun`` is called with the set-up when the journal has it.
        """
        setup = await self._playing.begin(attempt)
        if setup is None:
            return None
        begun(setup)
        # Do not wait for a bot that plays a person: its opponent could play others meanwhile.
        if await self._playing.void_if_taken(setup):
            return None
        (record,) = await self._playing.play([setup], played_by(self._referee))
        return record

    async def _play(self, choice: Choice, nursery: trio.Nursery) -> None:
        players, record = choice.players, None
        newcomers = {n for n in players if not self._suspensions.conduct(n).proven}
        trial = self._trust.begins(players)
        held = self._slot_time.begins(players)
        try:
            with ExitStack() as in_play:

                def begun(setup: MatchSetup) -> None:
                    in_play.enter_context(self._suspensions.in_play(setup.match))
                    self._reporter.match_begins(setup.match, players, choice.why)

                record = await self._play_attempt(self._attempt(choice), begun)
                if record is not None:
                    await self._judge(record, nursery)
            if record is not None:
                await self._ratings.refresh()
        finally:
            self._slot_time.ends(held)
            self._playing.cool_down(players, self._pace_s(players, record), nursery)
            for name, seconds in self._slot_rests(record).items():
                self._playing.cool_down([name], seconds, nursery)
            self._playing.release(players)
            blamed = [] if record is None else [players[seat] for seat in faults(record)]
            spoiled = not newcomers.isdisjoint(blamed)
            self._trust.ends(len(newcomers), len(players), trial=trial, spoiled=spoiled)
        if record is not None:
            self._played += record.ranking is not None
            done = RunProgress(self._played, self._played, self._playing.matches, self._played)
            self._reporter.match_over(record, done)

    def _slot_rests(self, record: MatchRecord | None) -> Mapping[str, float]:
        """Seconds that bots rest which thought for long in a match."""
        if record is None or record.server_fault:
            return {}
        return self._slot_time.rests(record)

    def _pace_s(self, players: tuple[str, ...], record: MatchRecord | None) -> float:
        """Seconds that all players rest after a match."""
        pace_s = self._settings.pace_ms / 1000
        if record is not None and record.rules_failed:
            return max(pace_s, self._failures.rest_s(record))
        if record is not None and record.server_fault:
            return max(pace_s, self._overload.annulled(*players))
        self._overload.reset(*players)
        return pace_s

    async def _judge(self, record: MatchRecord, nursery: trio.Nursery) -> None:
        """Rest or suspend bots that ended a match by their own fault."""
        setup = record.setup
        suspended = self._suspensions.suspended_by(record) | self._note_failure(record)
        self._changed.update(setup.players)
        for name, why in suspended.items():
            await self._journal.suspend(name, why)
            self._notices.suspended(name, why)
            self._reporter.warning(
                f"bot {name} is suspended: {why}; 'polynya bots resume {name}' puts it back"
            )
        for seat, forfeit in faults(record).items():
            name = setup.players[seat]
            seconds = self._suspensions.conduct(name).rest_s
            self._rest(name, seconds, nursery)
            if name not in suspended:
                self._notices.rests(name, seconds, setup.match, forfeit.reason)

    def _note_failure(self, record: MatchRecord) -> dict[str, Reason]:
        """Count whether the rules failed; the bots that are suspended for it."""
        self._failures.note(record)
        if not record.rules_failed:
            return {}
        found = self._failures.recent[0]
        names = join_words(found.players)
        self._reporter.warning(
            f"{found.match} of {names} is annulled: {found.why}{found.clauses}; its bots rest"
        )
        if self._failures.game_is_broken():
            self._switch.pause()
            self._reporter.warning(
                f"the rules of {self._settings.game} failed in matches of different pairings in a "
                "row: the ladder is paused; mend the game, then resume the ladder on the "
                "operator's page, or start the server again"
            )
        suspended = self._failures.suspends(record) if self._settings.suspend_after else {}
        self._suspensions.names.update(suspended)
        return suspended

    def _rest(self, name: str, seconds: float, nursery: trio.Nursery) -> None:
        """Rest a bot for its conduct."""
        self._rests_until_s[name] = trio.current_time() + seconds
        self._changed.add(name)
        nursery.start_soon(self._end_rest, name, self._rests_until_s[name])

    async def _end_rest(self, name: str, until_s: float) -> None:
        await trio.sleep_until(until_s)
        if self._rests_until_s.get(name) == until_s:
            del self._rests_until_s[name]
            if name not in self._suspensions.names:
                self._notices.rested(name)
        self._changed.add(name)
        self._playing.notify()

    def _attempt(self, choice: Choice) -> Attempt:
        """An attempt; the database assigns its id and seed."""
        settings = self._settings
        setup = MatchSetup(
            match="",
            game=settings.game,
            players=choice.players,
            clock=settings.clock,
            seed=0,
            options=settings.options,
        )
        is_dealt = load(settings.game).secret_seed
        return Attempt(setup, settings.rating, why=choice.why, of_ladder=True, is_dealt=is_dealt)
