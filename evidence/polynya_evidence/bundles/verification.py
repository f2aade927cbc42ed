"""Verifies a bundle by recomputing its contents from its replays and its description alone.

It plays each replay again through the rules, draws the matches again by the format from the
description and from those results, and recomputes table, ratings and report. It reports each
difference from the bundle in a sentence, none if all is as published.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_conformance.replay.verify import differences
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.pairing.standings import Standings
from polynya_evidence.bundles.attempt_count import AttemptCount
from polynya_evidence.bundles.bundle_reader import Bundle
from polynya_evidence.bundles.comparison import different
from polynya_evidence.bundles.draw_check import Draw, described
from polynya_evidence.bundles.entrant_check import entrant_differences
from polynya_evidence.bundles.manifest import Played, results_of
from polynya_evidence.bundles.page_check import page_difference
from polynya_evidence.bundles.rating_check import PublishedRatings, rating_differences
from polynya_evidence.bundles.replay_check import (
    LAG_MS,
    parse_member,
    set_up_differences,
    uncharged_ms,
    unknown_refusals,
)
from polynya_evidence.bundles.secret_check import PublishedSeeds
from polynya_evidence.reports.contents import Report, report_of
from polynya_evidence.reports.evidence import Evidence, MatchOutcome, outcome_of
from polynya_evidence.reports.page import page
from polynya_games import load
from polynya_server.records import MatchSetup

NEW_IN_REPORTS = frozenset({"bracket", "narrowing", "seeds"})
"""Keys of a report, all of which bundles of version 0.3.0 lack; they follow from the others."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of the verification.

    Attributes:
        tournament: its name.
        public_key: the key that the manifest names.
        signed: whether its signature is by this key.
        replays: number of replays played again.
        differences: sentences; none if all is as the bundle says.
        unchecked: sentences on contents that could not be checked; none if all were.
        standings: the table recomputed from the replays; None if it could not be computed.
        repeated: a sentence for each match with several attempts, which says how these ended.
    """

    tournament: str
    public_key: str
    signed: bool
    replays: int
    differences: tuple[str, ...]
    unchecked: tuple[str, ...]
    standings: Standings | None
    repeated: tuple[str, ...] = ()


def verify(bundle: Bundle, public_key: str | None = None) -> Verification:
    """Verify a whole bundle.

    Args:
        bundle: the opened bundle.
        public_key: the key that must have signed it; None for any.
    """
    checking = _Checking(bundle)
    found = [*bundle.differences]
    if bundle.is_signed and public_key not in (None, bundle.manifest.public_key):
        found.append(
            f"it is signed by {bundle.manifest.public_key[:100]}, which is not the given key"
        )
    found.extend(checking.all())
    return Verification(
        bundle.manifest.tournament,
        bundle.manifest.public_key,
        bundle.is_signed,
        checking.replays,
        tuple(found),
        tuple(checking.unchecked),
        checking.standings,
        tuple(checking.attempts.sentences()),
    )


class _Checking:
    """One verification of a bundle; ``outcomes`` are those of the valid replays."""

    def __init__(self, bundle: Bundle) -> None:
        self.replays = 0
        self.unchecked: list[str] = []
        self.standings: Standings | None = None
        self.attempts = AttemptCount()
        self._bundle = bundle
        self._schedule = bundle.schedule
        self._drawn = {match.number: match for match in bundle.schedule.matches}
        self._outcomes: dict[str, MatchOutcome] = {}
        self._played = Played()
        self._named: set[str] = set()  # matches whose differences are reported already
        self._set_ups: list[MatchSetup] = []
        self._uncharged_ms = 0

    def all(self) -> Iterator[str]:
        """All differences; without a valid description, nothing else can be checked."""
        try:
            configuration = described(self._schedule)
        except ConfigurationError as error:
            yield f"tournament.json: {error}"
            return
        if self._bundle.manifest.tournament != self._schedule.tournament:
            yield "tournament.json is of another tournament than the manifest"
        yield from self._replays(configuration)
        evidence = Evidence(self._schedule, self._outcomes)
        lacking = self._lacking()
        for match in lacking:
            if match not in self._named and not self._is_missing(match):
                yield f"{match}: there is no replay that its result follows from"
        yield from self._manifest(evidence, lacking)
        if lacking:
            self._leave_out("the draw, the table, ratings and the report", "results are missing")
            return
        seeds = PublishedSeeds(self._schedule)
        yield from seeds.differences()
        yield from self._deals(configuration, seeds)
        draw = Draw(evidence, seeds.seed_of)
        drawn_otherwise = list(draw.differences())
        yield from drawn_otherwise
        yield from self._ratings(configuration, evidence)
        if not drawn_otherwise:
            yield from entrant_differences(evidence, draw.moments)
        if drawn_otherwise:
            self._leave_out("the table and the report", "the matches are drawn otherwise")
        else:
            yield from self._report(evidence)

    def _replays(self, configuration: TournamentConfiguration) -> Iterator[str]:
        for match, document in self._bundle.replays():
            for what in self._replay(configuration, match, document):
                self._named.add(match)
                yield f"{match}: {what}"
        if self._uncharged_ms > LAG_MS:
            self.unchecked.append(
                f"not checked: up to {self._uncharged_ms} ms of a turn were not charged; that is "
                f"right if the server's lag_ms was set to as much (without a setting: {LAG_MS})"
            )

    def _deals(
        self, configuration: TournamentConfiguration, seeds: PublishedSeeds
    ) -> Iterator[str]:
        """Check the deal of each attempt against the secret."""
        is_dealt = load(configuration.game).secret_seed
        for setup in self._set_ups:
            numbers = self._numbers_of(setup.match)
            if numbers is None:
                continue  # reported already: no match of the schedule has this id
            found = seeds.deal_differences(*numbers, setup.deal, is_dealt=is_dealt)
            yield from (f"{setup.match}: {what}" for what in found)

    def _ratings(self, configuration: TournamentConfiguration, evidence: Evidence) -> Iterator[str]:
        unrated = {setup.match for setup in self._set_ups if not setup.rated}
        yield from rating_differences(configuration.rating, evidence, unrated)
        published = PublishedRatings(evidence, self._set_ups)
        yield from published.differences()
        self.unchecked.extend(published.unchecked())

    def _leave_out(self, what: str, why: str) -> None:
        page = ", and the page around the bundle," if self._bundle.page is not None else ""
        self.unchecked.append(f"not checked: {what}{page} because {why}")

    def _replay(
        self, configuration: TournamentConfiguration, match: str, document: bytes
    ) -> Iterator[str]:
        try:
            record = parse_member(document)
        except TournamentError as error:
            yield str(error)
            return
        self.replays += 1
        self._played.add(record)
        self._set_ups.append(record.setup)
        self._uncharged_ms = max(self._uncharged_ms, uncharged_ms(record))
        self.unchecked += [f"not checked: {match}: {what}" for what in unknown_refusals(record)]
        numbers = self._numbers_of(match)
        drawn = None if numbers is None else self._drawn.get(numbers[0])
        if numbers is None or drawn is None:
            yield "no match of the schedule has this id"
            return
        self.attempts.add(*numbers, record.reason)
        found = [*set_up_differences(configuration, drawn, match, record), *differences(record)]
        yield from found
        if drawn.match == match and not found:
            if record.ranking is None:
                yield f"it ended without a result ({record.reason}), but counts as one"
            else:
                self._outcomes[match] = outcome_of(record)
        elif drawn.match != match and record.ranking is not None:
            yield "it has a result, but does not count"

    def _numbers_of(self, match: str) -> tuple[int, int] | None:
        """The numbers of match and attempt in an id such as ``NAME-7`` or ``NAME-7.2``."""
        prefix = f"{self._schedule.tournament}-"
        number, _, attempt = match.removeprefix(prefix).partition(".")
        name = f"{prefix}{number}.{attempt}".rstrip(".")
        if name != match or not (number + attempt).isdecimal() or number.startswith("0"):
            return None
        return int(number), int(attempt or 1)

    def _lacking(self) -> set[str]:
        """The matches that count, but lack a replay that gives their result."""
        counted = {drawn.match for drawn in self._schedule.matches if drawn.match is not None}
        return counted - self._outcomes.keys()

    def _is_missing(self, match: str) -> bool:
        """Whether the manifest lists a missing replay, which is reported already."""
        return f"replays/{match}.replay" in self._bundle.manifest.files

    def _manifest(self, evidence: Evidence, lacking: set[str]) -> Iterator[str]:
        """Compare the manifest's results and versions with those in the replays."""
        said = self._bundle.manifest
        results = [one for one in said.results if one.match not in lacking]
        pairs: list[tuple[str, object, object]] = [("results", results, results_of(evidence))]
        if not lacking:
            pairs += [
                ("software", dict(said.software), self._played.software),
                ("servers", said.servers, self._played.servers),
            ]
        for name, theirs, ours in pairs:
            pair = (msgspec.to_builtins(each) for each in (theirs, ours))
            yield from different(f"manifest.json: {name}", *pair)

    def _report(self, evidence: Evidence) -> Iterator[str]:
        try:
            report = report_of(evidence)
        except TournamentError as error:
            self._leave_out("the report's estimates and table", str(error))
            return
        self.standings = report.standings
        computed = msgspec.to_builtins(dataclasses.asdict(report))
        published = self._bundle.report
        if not NEW_IN_REPORTS & published.keys():
            computed = {key: computed[key] for key in computed.keys() - NEW_IN_REPORTS}
        yield from different("report.json", published, computed)
        if self._bundle.page is not None:
            yield from self._page(report, self._bundle.page)

    def _page(self, report: Report, published: bytes) -> Iterator[str]:
        """The page that the bundle was taken from, against a page that is rendered from it."""
        ours = page(report, self._bundle.content)
        try:
            difference = page_difference(published.decode(), ours)
        except UnicodeDecodeError as error:
            difference = f"the page is no text in UTF-8: {error}"
        if difference is not None:
            yield difference
