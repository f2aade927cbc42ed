"""Draws a tournament again: its description and results must give the same matches."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from polynya_common.errors import ConfigurationError
from polynya_contest.config.setting_tables import RATING, nested
from polynya_contest.config.toml_files import converted
from polynya_contest.config.tournament_checks import check_configuration
from polynya_contest.config.tournament_configuration import (
    TournamentConfiguration,
    schedule_inputs_text,
    seeded,
)
from polynya_contest.pairing.formats import Block, Entrant, format_of
from polynya_contest.pairing.formats.interface import RULES_WITH_SEED
from polynya_contest.pairing.schedule import Pairing, pairings_of
from polynya_contest.pairing.standings import WITHDRAWN
from polynya_contest.secret import SeedOf
from polynya_evidence.reports.evidence import DrawnMatch, Evidence, Schedule
from polynya_store.tournaments.open_pairings import UNDECIDED

MOST_ENTRANTS = 5_000


def described(schedule: Schedule) -> TournamentConfiguration:
    """Check the description as if it were a host's, with all bots from outside.

    Raises:
        ConfigurationError: it cannot be played, or describes far more matches than were played.
    """
    description = dict(schedule.description)
    names = description.pop("bots", None)
    del description["rules"]
    if not isinstance(names, list) or len(names) > MOST_ENTRANTS:
        raise ConfigurationError(f"bots: a list of at most {MOST_ENTRANTS} names is needed")
    bots = [{"name": name, "external": True} for name in names]
    given = {"name": schedule.tournament, "bots": bots, **description}
    configuration = converted(nested(given, RATING), TournamentConfiguration)
    check_configuration(configuration)
    _check_inputs(configuration, schedule.description)
    _check_amount(configuration, len(schedule.matches))
    _check_entrants(configuration, schedule.entrants)
    return configuration


def _check_inputs(configuration: TournamentConfiguration, recorded: Mapping[str, Any]) -> None:
    """Refuse a record with other keys, or values of another form, than Polynya records."""
    known = json.loads(schedule_inputs_text(configuration))
    if recorded["rules"] == RULES_WITH_SEED:
        known |= {"rules": RULES_WITH_SEED, "seed": configuration.seed}
    for key in sorted(known.keys() | recorded.keys()):
        if recorded.get(key, ...) != known.get(key, ...):
            raise ConfigurationError(f"{key:.100}: it is not recorded as Polynya records it")


def _check_amount(configuration: TournamentConfiguration, matches: int) -> None:
    """Refuse a description that would take too long to draw and cannot have been played."""
    others = len(configuration.bots) - 1
    least = configuration.cycles * others
    if configuration.format == "round_robin":
        least = least * (others + 1) // (2 * configuration.players)
    if least > 4 * matches + 100:
        raise ConfigurationError(f"it asks for at least {least} matches, there are {matches}")


def _check_entrants(configuration: TournamentConfiguration, entrants: Sequence[Entrant]) -> None:
    ratings = {entrant.name: entrant.rating for entrant in entrants}
    first = [entrant.name for entrant in entrants if not entrant.entered_after]
    late = [entrant for entrant in entrants if entrant.entered_after]
    names = [entrant.name for entrant in seeded(configuration, ratings)]
    in_order = late == sorted(late, key=lambda entrant: entrant.entered_after)
    if names != first or [one.name for one in entrants] != [*first, *(one.name for one in late)]:
        raise ConfigurationError("entrants: they are not the bots in the order of their seeding")
    if not in_order:
        raise ConfigurationError("entrants: the late ones are not in the order of their entry")


def _changes(entrants: Iterable[Entrant]) -> set[int]:
    """The numbers of matches after which the entrants changed."""
    moments = {moment for one in entrants for moment in (one.withdrawn_after, one.entered_after)}
    return {moment for moment in moments if moment is not None}


class Draw:
    """Draws the rounds of a tournament again, one after another.

    Args:
        evidence: the schedule that was drawn, and the results.
        seed_of: gives the seeds of blocks.

    Attributes:
        moments: numbers of matches after which a drawing may have ended, as far as drawn again.
    """

    def __init__(self, evidence: Evidence, seed_of: SeedOf) -> None:
        self._seed_of = seed_of
        self._schedule = evidence.schedule
        self._matches = evidence.schedule.matches
        self._blocks = list(evidence.blocks(self._matches))
        self._changes = sorted(_changes(evidence.schedule.entrants))
        self._ahead: Iterator[Block] | None = None
        self._ahead_until = 0
        self.moments: set[int] = set()

    def differences(self) -> Iterator[str]:
        """Report the first match that differs; later matches cannot be checked."""
        blocks, matches = 0, 0
        while drawn := self._next(blocks, matches):
            pairings = pairings_of(drawn, self._seed_of, matches)
            for expected in pairings:
                if difference := self._difference(expected):
                    yield f"match {expected.number} of the schedule: {difference}"
                    return
            blocks += len(drawn)
            matches += len(pairings)
            self.moments.add(matches)
        if matches < len(self._matches):
            yield f"after match {matches} nothing more is drawn, but there is more"

    def _next(self, blocks: int, matches: int) -> list[Block]:
        """Draw the matches that follow after this number of matches."""
        if self._ahead is not None and matches < self._ahead_until:
            return list(islice(self._ahead, 1))
        drawn = format_of(self._schedule.description, self._there(matches))
        if not drawn.is_judged:
            # Walk once through a schedule that needs no results, until its entrants change: a
            # restart for each portion would take quadratic time.
            self._ahead = drawn.blocks_after(blocks)
            self._ahead_until = next((at for at in self._changes if at > matches), sys.maxsize)
            if self._ahead is not None:
                return list(islice(self._ahead, 1))
        return drawn.next_blocks(self._blocks[:blocks])

    def _there(self, drawn: int) -> tuple[Entrant, ...]:
        """The entrants when this number of matches had been drawn."""
        return tuple(
            one
            if one.withdrawn_after is None or one.withdrawn_after <= drawn
            else dataclasses.replace(one, withdrawn=None, withdrawn_after=None)
            for one in self._schedule.entrants
            if one.entered_after <= drawn
        )

    @cached_property
    def _is_decided(self) -> bool:
        """Whether the results decided the contest's question before all matches were played."""
        drawn = format_of(self._schedule.description, self._schedule.entrants)
        judge = drawn.judge(self._blocks)
        return judge is not None and judge.decided

    def _difference(self, expected: Pairing) -> str:
        if expected.number > len(self._matches):
            return f"{' - '.join(expected.players)} is missing"
        found = self._matches[expected.number - 1]
        if (found.number, found.block, found.players, found.seed) != (
            expected.number,
            expected.block,
            expected.players,
            str(expected.seed),
        ):
            return (
                f"{' - '.join(found.players)} with seed {found.seed}, where the draw gives "
                f"{' - '.join(expected.players)} with seed {expected.seed}"
            )
        return self._state_difference(found)

    def _state_difference(self, found: DrawnMatch) -> str:
        if found.state == "walkover" and (difference := self._walkover_difference(found)):
            return difference
        if found.state in UNDECIDED:
            return "it has not been played"
        if found.state == "dropped" and not self._is_decided:
            return "it was dropped, but nothing is decided"
        if (found.state == "played") != (found.match is not None):
            return f"it is {found.state}, but " + ("counts" if found.match else "has no result")
        return ""

    def _walkover_difference(self, found: DrawnMatch) -> str:
        withdrawn = {one.name for one in self._schedule.entrants if one.withdrawn is not None}
        if not found.missing or not found.missing.keys() <= set(found.players):
            return "a walkover, but none of its bots missed it"
        gone = [name for name, why in found.missing.items() if why == WITHDRAWN]
        if not withdrawn.issuperset(gone):
            return "a bot missed it that has not withdrawn, as it says"
        return ""
