"""Draws the rounds of a tournament from its results, and records each before it is played."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import trio

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, Reason
from polynya_contest.config.tournament_configuration import TournamentConfiguration, plan_of
from polynya_contest.pairing.formats import format_of
from polynya_contest.pairing.formats.interface import Block, Format, Judge, portion
from polynya_contest.pairing.formats.swiss.swiss_settings import PairedRoundsSettings
from polynya_contest.pairing.schedule import Pairing, pairings_of
from polynya_contest.pairing.standings import MatchResult
from polynya_contest.secret import Secret, SeedOf
from polynya_server.records import MatchRecord
from polynya_store import OpenPairing, StoreJournal
from polynya_tournaments.tournament.progress_events import Reporter


class RoundDrawer:
    """Draws the matches of a tournament round by round; ``begin`` comes first.

    Implements :class:`~polynya_tournaments.tournament.scheduler.Rounds`. Drawing may take a second
    (Swiss with hundreds of bots), so a thread does it. No other process plays into the database, so
    the results do not change meanwhile.
    """

    def __init__(
        self, configuration: TournamentConfiguration, journal: StoreJournal, reporter: Reporter
    ) -> None:
        self._configuration = configuration
        self._journal = journal
        self._reporter = reporter
        self.tournament_id = 0
        self.open_pairings: list[OpenPairing] = []
        self.played_before = 0
        self._judge: Judge | None = None
        self._format: Format | None = None
        self._ahead: Iterator[Block] | None = None
        self._last_number = 0
        self.secret = Secret(b"")
        self._seed_of: SeedOf = self.secret.match_seed
        self._commitment = ""

    async def begin(self, *, play_held: bool = False) -> list[OpenPairing]:
        """Record the tournament, or find its record; return the first pairings to play.

        With ``play_held`` those too that wait for the host because the rules failed.
        """
        ratings = self._present_ratings()
        plan = await trio.to_thread.run_sync(plan_of, self._configuration, ratings)
        self.tournament_id = await self._journal.plan(plan)
        await self._journal.read(self._find_secret)
        leaving = [bot.name for bot in self._configuration.bots if bot.withdrawn]
        for name in await self._journal.withdraw(self.tournament_id, leaving):
            self._reporter.warning(str(Reason.of("withdrawn", bot=name)))
        if doubt := self._doubt():
            self._reporter.warning(doubt)
        if play_held and not await self._journal.play_held(self.tournament_id):
            self._reporter.warning("no match waits because the rules of the game failed")
        left = await self._journal.open_pairings(self.tournament_id)
        await self._journal.read(self._look)
        if self.decided:  # an earlier run may have been killed before it recorded this
            await self.drop()
            left = []
        self.open_pairings = left or await self.next()
        if self._commitment and self.secret.named_seed is None and not self.played_before:
            self._reporter.committed(self._commitment)
        return self.open_pairings

    def _find_secret(self) -> None:
        """Read what the seeds follow from.

        Raises:
            TournamentError: the public value that the description names has not been entered.
        """
        tournaments, name = self._journal.store.tournaments, self._configuration.name
        self.secret, self._seed_of = tournaments.present_secret(name)
        self._commitment = "".join(one.commitment for one in tournaments.secrets(name)[-1:])
        named = self._configuration.beacon
        if named is not None and self.secret.beacon is None:
            raise TournamentError(
                f"{name} waits for its beacon ({named}). Its commitment is {self._commitment}: "
                "publish it now. When the value is known, enter it with 'polynya tournament beacon "
                f"{name} VALUE --database {self._journal.store.address}', and run the tournament "
                "again"
            )

    def _doubt(self) -> str:
        """Sentence on why the tournament may end before its last round; empty if it cannot."""
        settings = self._configuration.format_settings
        if not isinstance(settings, PairedRoundsSettings):
            return ""
        return settings.doubt(sum(not bot.withdrawn for bot in self._configuration.bots))

    async def next(self) -> list[OpenPairing]:
        """Draw the next pairings when all are decided; empty if the tournament is over or waits.

        It waits if a match of the last round got no result: the next run retries that match. A
        format that needs no results is drawn in portions, without waiting for them.
        """
        while True:
            before = self._last_number
            pairings, verdict = await self._journal.read(self._draw)
            if verdict:
                self._reporter.verdict(str(verdict))
            if not pairings:
                return []
            await self._journal.draw(self.tournament_id, pairings)
            self._last_number = pairings[-1].number
            drawn = await self._journal.open_pairings(self.tournament_id, before)
            # A portion may have only walkovers while later ones have matches.
            if drawn or self._ahead is None:
                return drawn

    @property
    def undrawn(self) -> int:
        """Number of matches that will certainly be drawn later; 0 if unknown."""
        if self._format is None:
            return 0
        players = self._configuration.players
        return self._format.undrawn(self._last_number // players) * players

    @property
    def is_judged(self) -> bool:
        """Whether a result may decide that no further match is needed; known from ``begin`` on."""
        return self._judge is not None

    @property
    def decided(self) -> bool:
        """Whether no further match is needed, though more have been drawn."""
        return self._judge is not None and self._judge.decided

    def judge(self, block: str, record: MatchRecord) -> bool:
        """Count a result, in any order; True if the tournament is decided now."""
        if self._judge is not None and record.ranking is not None:
            lost = {forfeit.seat for forfeit in record.forfeits}
            forfeited = tuple(seat in lost for seat in range(len(record.ranking)))
            result = MatchResult(record.setup.players, tuple(record.ranking), forfeited)
            if self._judge.ended(block, result):
                self._reporter.verdict(str(self._judge.verdict))
        return self.decided

    async def drop(self) -> int:
        """Drop the remaining matches; return their number."""
        return await self._journal.drop(self.tournament_id, Reason.of("test_decided"))

    def _look(self) -> None:
        """Read the progress; entrants change only before a run."""
        store, name = self._journal.store, self._configuration.name
        found = store.tournaments.outline(name)
        self.played_before = store.tournaments.progress(name).played
        self._last_number = found.last_number
        self._format = format_of(found.description, found.entrants)
        self._ahead = self._format.blocks_after(found.blocks)
        if self._format.is_judged:
            self._judge = self._format.judge(store.tournaments.recorded(name).blocks)

    def _draw(self) -> tuple[list[Pairing], Cause]:
        """Draw the next matches, and report the verdict so far."""
        if self._format is not None and self._ahead is not None:
            blocks, verdict = self._portion(self._format, self._ahead)
        else:
            blocks, verdict = self._from_results()
        return pairings_of(blocks, self._seed_of, self._last_number), verdict

    def _portion(self, drawn: Format, ahead: Iterator[Block]) -> tuple[list[Block], Cause]:
        """The next blocks of a schedule that needs no results."""
        if self._journal.store.tournaments.all_wait(self._configuration.name):
            return [], ""
        judge, players = self._judge, self._configuration.players
        done = self._last_number // players
        blocks: list[Block] = []
        if judge is None or not (judge.decided or judge.waits):
            blocks = list(islice(ahead, portion(done, players, drawn.undrawn(done))))
        if judge is None:
            return blocks, ""
        judge.draw(blocks)
        return blocks, judge.verdict

    def _from_results(self) -> tuple[list[Block], Cause]:
        found = self._journal.store.tournaments.recorded(self._configuration.name)
        if found.undecided:
            return [], ""
        drawn = format_of(found.description, found.entrants)
        return drawn.next_blocks(found.blocks), drawn.verdict(found.blocks)

    def _present_ratings(self) -> dict[str, float]:
        configuration = self._configuration
        rows = self._journal.store.ratings.find(**configuration.pool._asdict())
        return {row.bot: row.rating for row in rows} | configuration.rating.anchors
