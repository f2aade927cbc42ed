"""The scheduler: begins the matches of a tournament in order, as their bots become free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

import trio

from polynya_common.reasons import Cause, Reason
from polynya_common.text import join_words
from polynya_contest.config.duplicate_deals import foresees_deals
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.pairing.standings import ABSENT, NOT_READY
from polynya_games import load
from polynya_hosting.bots.supervisor import requested_at_once
from polynya_server.records import MatchRecord, MatchSetup, Reveal
from polynya_store import Attempt, OpenPairing, StoreJournal
from polynya_tournaments.tournament.backoff import (
    MAX_ANNULLED,
    AnnulmentBackoff,
    FailedRules,
    NotReadyCounter,
    not_ready,
)
from polynya_tournaments.tournament.hosted_blocks import BlockPlayers
from polynya_tournaments.tournament.match_runner import MatchRunner, Play
from polynya_tournaments.tournament.missing_bots import MissingBots, OpenPairings
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress


class Rounds(Protocol):
    """Draws the rounds of a tournament as they are needed.

    Attributes:
        tournament_id: in the database.
        open_pairings: the matches without a result that are played first.
        played_before: number of matches that already have a result.
    """

    tournament_id: int
    open_pairings: list[OpenPairing]
    played_before: int

    @property
    def is_judged(self) -> bool:
        """Whether a result may decide that no further match is needed."""

    @property
    def undrawn(self) -> int:
        """Number of matches that will certainly be drawn later."""

    async def next(self) -> list[OpenPairing]:
        """Draw more matches when none is left; empty if none follow."""

    def judge(self, block: str, record: MatchRecord) -> bool:
        """Count a result; True if the tournament is decided now."""

    async def drop(self) -> int:
        """Record that the remaining matches are not needed."""


class Scheduler:
    """Plays the open pairings of a tournament, each until it has a result or is given up.

    Args:
        configuration: of the tournament.
        rounds: draws its matches.
        blocks: its bots, and plays its blocks of matches.
        journal: records the matches.
        reporter: receives progress and problems.
        switch: pauses it.
        backoff: the waits after annulled matches.
        sandbox: the sandbox of the bots that are started here, for the records.
    """

    def __init__(
        self,
        configuration: TournamentConfiguration,
        rounds: Rounds,
        blocks: BlockPlayers,
        journal: StoreJournal,
        reporter: Reporter,
        *,
        switch: PauseSwitch | None = None,
        backoff: AnnulmentBackoff | None = None,
        sandbox: str = "none",
    ) -> None:
        self._configuration = configuration
        self._rounds = rounds
        self._open = OpenPairings(rounds.open_pairings)
        self._blocks = blocks
        self._journal = journal
        self._reporter = reporter
        self._runner = MatchRunner(blocks, journal, reporter, switch)
        self._patience = NotReadyCounter()
        self._backoff = backoff or AnnulmentBackoff()
        self._attempts: Counter[int] = Counter()
        self._failures: Counter[int] = Counter()
        self._rules = FailedRules()
        self._held: set[frozenset[str]] = set()
        self._missing = MissingBots(configuration, blocks, reporter)
        self._lost = configuration.absent == "lost"
        self._scheduled = rounds.played_before + len(rounds.open_pairings)
        self._played_now = 0
        self._playing = 0
        self._reserved = 0  # matches of open blocks that have not begun
        hosted = (bot.name for bot in configuration.bots if not bot.external)
        self._sandboxes = dict.fromkeys(hosted, sandbox)
        self._decided = False
        self._stopping = False
        self._settling = 0
        self._in_play: dict[str, OpenPairing] = {}
        self._ending: set[str] = set()

    def stop(self) -> None:
        """Begin no new matches; ``run`` returns when those in play have ended."""
        self._stopping = True
        self._runner.notify()

    def set_aside(self, name: str, why: Cause, reason: str = ABSENT) -> None:
        """Begin no more matches of a bot; ``why`` is the reason in a sentence.

        Its matches that are not in play become walkovers for the opponents that are present; with
        ``absent = "open"`` they are given up until the tournament is run again.
        """
        self._missing.add(name, why, reason)
        self._runner.notify()

    async def run(self) -> None:
        """Play until nothing is left and no round follows, or until stopped."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._runner.watch)
            with self._journal.watching_records(partial(self._on_played, nursery)):
                await self._play_open(nursery)
                while not self._stopping and await self._draw():
                    await self._play_open(nursery)
            nursery.cancel_scope.cancel()

    async def _draw(self) -> bool:
        """Draw the next round and open its matches; False if none follows."""
        if self._decided:
            await self._rounds.drop()
        self._open = OpenPairings(await self._rounds.next())
        self._scheduled += len(self._open)
        return bool(self._open)

    async def _play_open(self, nursery: trio.Nursery) -> None:
        while self._runner.matches or self._settling or (self._open and not self._stopping):
            if not self._stopping:
                self._missing.report_unwilling(self._open)
                if not self._lost:
                    await self._give_up_set_aside()
                self._missing.report_waiting(self._open)
                self._begin_possible(nursery)
                if self._lost:
                    await self._walk_over_missed(nursery)
            if self._runner.matches or self._settling or self._open:
                with trio.move_on_after(self._missing.next_s):
                    await self._runner.wait()

    async def _give_up_set_aside(self) -> None:
        for name, why in list(self._missing.set_aside.items()):
            if name in self._open.needed:
                hopeless = [row for row in self._open if name in row.pairing.players]
                self._open.remove(hopeless)
                ids = [row.id for row in hopeless]
                await self._journal.abandon(self._rounds.tournament_id, ids, why)

    async def _walk_over_missed(self, nursery: trio.Nursery) -> None:
        """Decide matches that a bot misses if each other bot is present or misses them, too."""
        self._missing.count_absence(self._open, paused=self._runner.paused)
        others_play = bool(self._runner.matches)
        for name, row in self._missing.untried(self._open, others_play=others_play).items():
            if self._has_room() and self._runner.is_free(name, self._configuration.game):
                self._runner.reserve([name])
                nursery.start_soon(self._try_to_start, name, row)
        for sentence, missed in self._missing.missed(self._open, others_play=others_play).items():
            self._open.remove(row for row, _ in missed)
            self._scheduled -= len(missed)
            by_id = [(row.id, gone) for row, gone in missed]
            await self._journal.walk_over(self._rounds.tournament_id, by_id, sentence)
            self._reporter.walkovers(self._progress())
            if not self._missing.is_told(sentence):
                self._reporter.warning(f"{len(missed)} matches are walkovers: {sentence}")

    async def _try_to_start(self, name: str, row: OpenPairing) -> None:
        """Try whether a hosted bot starts before it gets a point for its opponent's absence."""
        try:
            setup = self._attempt(row).setup
            if await self._blocks.starts(name, setup):
                self._missing.came([name])
        finally:
            self._runner.release([name])

    def _has_room(self) -> bool:
        """Whether the number of matches in play allows one more."""
        most = self._blocks.at_once() or requested_at_once(self._configuration)
        return self._runner.matches - self._runner.ending < most

    def _begin_possible(self, nursery: trio.Nursery) -> None:
        game, players = self._configuration.game, self._configuration.players
        if not self._has_room():
            return
        free = self._runner.free(game).difference(self._missing.set_aside)
        for row in self._open:
            if not self._has_room() or len(free) < players:
                break
            if free.issuperset(row.pairing.players) and row in self._open:
                rows = self._played_with(row)
                self._open.remove(rows)
                self._runner.reserve(row.pairing.players)
                nursery.start_soon(self._play_block, rows, nursery)
                reserved = row.pairing.players
                free -= {name for name in reserved if not self._runner.is_free(name, game)}

    def _played_with(self, row: OpenPairing) -> list[OpenPairing]:
        """A match, and the matches of its block that the same hosted processes play."""
        if self._is_alone(row.pairing.players):
            return [row]
        return self._open.of_block(row)

    def _on_played(self, nursery: trio.Nursery, record: MatchRecord) -> None:
        """Begin the next match while this one is recorded: both share a transaction.

        Not after a match that may have consequences for its bots, or may decide the tournament; and
        not in a block of hosted bots, whose processes end first.
        """
        row = self._in_play.get(record.setup.match)
        spoiled = record.ranking is None or record.server_fault or record.forfeits
        if row is not None and not self._rounds.is_judged and not (spoiled or self._stopping):
            self._ending.add(record.setup.match)
            self._runner.played(row.pairing.players)
            self._begin_possible(nursery)

    async def _play_block(self, rows: list[OpenPairing], nursery: trio.Nursery) -> None:
        """Play matches of one block, until one is annulled or a bot cannot go on."""
        players, left = rows[0].pairing.players, list(rows)
        self._reserved += len(left)
        goes_on = True
        try:
            async with self._blocks.open(players) as block:
                while goes_on and left and self._may_play(players):
                    next_one = left[0].pairing
                    if not await block.ready(next_one.players, next_one.number):
                        break
                    portion = left if self._blocks.whole else left[:1]
                    left = left[len(portion) :]
                    self._reserved -= len(portion)
                    goes_on = await self._play(portion, block.play, nursery)
        finally:
            self._reserved -= len(left)
            if not (self._decided or self._waits_for_host(players)):
                for row in left:
                    self._open.add(row)
            if left or not self._is_alone(players):
                self._runner.release(players)

    def _waits_for_host(self, players: Sequence[str]) -> bool:
        """Whether the rules failed in a match of these bots, so that none of theirs is played."""
        return frozenset(players) in self._held

    def _hold(self, row: OpenPairing) -> None:
        """Begin no more matches of the bots of a match whose rules failed; the record says it."""
        bots = frozenset(row.pairing.players)
        self._held.add(bots)
        self._open.remove(one for one in self._open if bots == frozenset(one.pairing.players))
        self._reporter.warning(
            f"match {row.pairing.number} of {join_words(row.pairing.players)} waits for you, and "
            "so do the other matches of these bots: the rules of the game failed in it"
        )

    def _is_alone(self, players: Sequence[str]) -> bool:
        """Whether a match of these bots is a block by itself: none of them is started here."""
        return self._sandboxes.keys().isdisjoint(players)

    def _may_play(self, players: Sequence[str]) -> bool:
        """Whether a block of these bots may go on."""
        if self._stopping or self._decided or self._runner.paused:
            return False
        if self._waits_for_host(players):
            return False
        connected, gone = self._blocks.connected, self._missing.set_aside
        return all(name in connected and name not in gone for name in players)

    async def _play(self, rows: list[OpenPairing], play: Play, nursery: trio.Nursery) -> bool:
        """Play matches to their ends; return whether each got a result."""
        begun: list[tuple[OpenPairing, MatchSetup]] = []
        for row in rows:
            self._attempts[row.id] += 1
            setup = await self._runner.begin(self._attempt(row))
            if setup is not None:
                begun.append((row, setup))
        records = await self._play_begun(rows, begun, play)
        found = {row.id: record for (row, _), record in zip(begun, records, strict=True)}
        for row in rows:
            await self._note_end(row, found.get(row.id), nursery)
        return all(record is not None and record.ranking is not None for record in records)

    async def _play_begun(
        self,
        rows: Sequence[OpenPairing],
        begun: Sequence[tuple[OpenPairing, MatchSetup]],
        play: Play,
    ) -> Sequence[MatchRecord | None]:
        """Play the begun matches of ``rows``; release the bots that are not started here."""
        players = rows[0].pairing.players
        matches = [setup.match for _, setup in begun] if self._is_alone(players) else []
        self._in_play |= dict.fromkeys(matches, rows[0])
        self._playing += len(begun)
        try:
            return await self._runner.play([setup for _, setup in begun], play)
        finally:
            self._playing -= len(begun)
            for match in matches:
                del self._in_play[match]
            if self._is_alone(players):
                ending = self._ending.intersection(matches)
                self._ending -= ending
                self._runner.release(players, ending=bool(ending))

    async def _note_end(
        self, row: OpenPairing, record: MatchRecord | None, nursery: trio.Nursery
    ) -> None:
        players = row.pairing.players
        if record is not None and record.rules_failed:
            self._rules.note(frozenset(players), happened=True)
            self._hold(row)
            self._stop_if_rules_are_broken()
        elif record is not None and record.server_fault:
            self._runner.cool_down(players, self._backoff.annulled(row.id), nursery)
        elif record is not None:
            self._backoff.reset(row.id)
            self._look_for_set_aside(record)
            if self._rounds.is_judged:
                self._take_verdict(self._rounds.judge(row.pairing.block, record))
        has_result = record is not None and record.ranking is not None
        if has_result:
            self._rules.note(frozenset(players), happened=False)
            self._missing.played(players)
            self._failures.pop(row.id, None)
            self._attempts.pop(row.id, None)
        if self._decided and not has_result:
            self._scheduled -= 1
        self._played_now += has_result
        if record is not None:
            self._reporter.match_over(record, self._progress())
        if not (has_result or self._decided or self._stopping):
            await self._settle(row, record)

    def _stop_if_rules_are_broken(self) -> None:
        if self._rules.are_broken and not self._stopping:
            self._reporter.warning(
                f"the rules of {self._configuration.game} failed in matches of "
                f"{FailedRules.LIMIT} different pairings in a row: the tournament stops; mend the "
                "rules, then run it again"
            )
            self.stop()

    def _take_verdict(self, decided: bool) -> None:
        """Drop the matches that have not begun if all is decided now."""
        if decided and not self._decided:
            self._decided = True
            self._scheduled -= len(self._open) + self._reserved
            self._open = OpenPairings()

    async def _settle(self, row: OpenPairing, record: MatchRecord | None) -> None:
        """Handle a match without a result; no round is drawn before this is recorded."""
        self._settling += 1
        try:
            await self._again_or_never(row, record)
        finally:
            self._settling -= 1
            self._runner.notify()

    def _attempt(self, row: OpenPairing) -> Attempt:
        number = row.attempts + self._attempts[row.id]
        configuration, pairing = self._configuration, row.pairing
        suffix = f".{number}" if number > 1 else ""
        is_dealt = load(configuration.game).secret_seed
        setup = MatchSetup(
            match=f"{configuration.name}-{pairing.number}{suffix}",
            game=configuration.game,
            players=pairing.players,
            clock=configuration.clock,
            seed=pairing.seed,
            options=configuration.options,
            sandboxes=tuple(self._sandboxes.get(name) for name in pairing.players),
            reveal=_reveal(configuration),
            rated=not foresees_deals(configuration),
        )
        return Attempt(
            setup,
            configuration.rating,
            row.id,
            number,
            is_dealt=is_dealt,
            is_duplicate=configuration.duplicate,
        )

    def _look_for_set_aside(self, record: MatchRecord) -> None:
        for name in self._patience.gave_up_on(record):
            if name in self._missing.set_aside:
                continue
            why = Reason.of("not_ready_in_a_row", bot=name, count=NotReadyCounter.LIMIT)
            self._reporter.warning(f"{why}; its other matches are not played")
            self.set_aside(name, why, NOT_READY)

    async def _again_or_never(self, row: OpenPairing, record: MatchRecord | None) -> None:
        if record is not None and record.rules_failed:
            return  # its pairing is held since this was recorded
        if self._waits_for_host(row.pairing.players):
            await self._journal.hold_others(self._rounds.tournament_id)
            return
        if record is not None and record.all_forfeited:
            await self._walk_over(row, dict.fromkeys(record.setup.players, ABSENT))
            return
        why = self._why_never(row, record)
        if why is None:
            self._open.add(row)
            self._runner.notify()
            return
        missing = {} if record is None else dict.fromkeys(not_ready(record), NOT_READY)
        if missing and self._lost:
            await self._walk_over(row, missing)
            return
        names = join_words(row.pairing.players)
        self._reporter.warning(f"match {row.pairing.number} of {names} is given up: {why}")
        await self._journal.abandon(self._rounds.tournament_id, [row.id], why)

    async def _walk_over(self, row: OpenPairing, missing: Mapping[str, str]) -> None:
        """Decide a match as lost by these bots, each with why it missed it."""
        names = join_words(sorted(missing))
        how = "not ready" if NOT_READY in missing.values() else "all of them forfeited"
        self._reporter.warning(f"match {row.pairing.number} is lost by {names}: {how}")
        self._scheduled -= 1
        await self._journal.walk_over(self._rounds.tournament_id, [(row.id, missing)])
        self._reporter.walkovers(self._progress())

    def _why_never(self, row: OpenPairing, record: MatchRecord | None) -> Reason | None:
        if record is not None and record.server_fault:
            if not self._backoff.is_exhausted(row.id):
                return None
            return Reason.of("attempts_annulled", count=MAX_ANNULLED)
        self._failures[row.id] += 1
        if self._failures[row.id] < self._configuration.attempts:
            return None
        ended = record.reason if record is not None else "broken off"
        return Reason.of("attempts_without_result", count=self._failures[row.id], ended=ended)

    def _progress(self) -> RunProgress:
        return RunProgress(
            played=self._rounds.played_before + self._played_now,
            scheduled=self._scheduled + self._rounds.undrawn,
            in_play=self._playing - self._runner.ending,
            played_now=self._played_now,
        )


def _reveal(configuration: TournamentConfiguration) -> Reveal:
    """The end that lets a match be seen: with duplicate deals never before its block's."""
    if configuration.duplicate and configuration.reveal == "match":
        return "block"
    return configuration.reveal
