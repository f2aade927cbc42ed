"""Checks whether a bundle's entries, withdrawals and unplayed matches can have been recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from polynya_common.reasons import Reason
from polynya_contest.pairing.formats import Block, Entrant, format_of
from polynya_contest.pairing.formats.interface import RULES_WITH_SEED
from polynya_contest.pairing.standings import ABSENT, NOT_READY, WITHDRAWN
from polynya_evidence.reports.evidence import DrawnMatch, Evidence
from polynya_store.tournaments.open_pairings import why_missed
from polynya_store.tournaments.planning import MISSED


def entrant_differences(evidence: Evidence, moments: Collection[int]) -> Iterator[str]:
    """Report entries and withdrawals that no host can have made, as sentences.

    Args:
        evidence: the schedule that was drawn, and the results.
        moments: numbers of matches after which a round, or a portion of a schedule, was drawn.
    """
    checking = _Checking(evidence, moments)
    for one in evidence.schedule.entrants:
        yield from (f"entrants: {one.name}: {what}" for what in checking.entry(one))
        yield from (f"entrants: {one.name}: {what}" for what in checking.withdrawal(one))
    if evidence.schedule.description["rules"] != RULES_WITH_SEED:
        yield from _date_differences(evidence.schedule.entrants)
    for drawn in evidence.schedule.matches:
        if what := _unplayed(drawn):
            yield f"match {drawn.number} of the schedule: {what}"


def _date_differences(entrants: Sequence[Entrant]) -> Iterator[str]:
    """Report entries and withdrawals without a possible date."""
    last_ms = 0
    for one in entrants:
        entered_ms = one.entered_ms or 0
        if entered_ms < last_ms or not entered_ms:
            yield f"entrants: {one.name}: it has no date of its entry, or one before others'"
        last_ms = entered_ms
        if (one.withdrawn is None) != (one.withdrawn_ms is None):
            yield f"entrants: {one.name}: a date of a withdrawal that there was not, or none"
        if one.withdrawn_ms is not None and one.withdrawn_ms < entered_ms:
            yield f"entrants: {one.name}: it withdrew before it entered"


class _Checking:
    """Checks the entrants of one schedule."""

    def __init__(self, evidence: Evidence, moments: Collection[int]) -> None:
        self._evidence = evidence
        self._moments = moments
        self._matches = evidence.schedule.matches
        rounds = (Block(match.block, ()).round for match in self._matches)
        self._rounds = [0, *accumulate(rounds, max)]

    def entry(self, one: Entrant) -> Iterator[str]:
        """Report where a bot's entry is impossible."""
        expected = 1
        if one.entered_after:
            if one.entered_after not in self._moments:
                yield f"nothing was drawn just after match {one.entered_after}, when it entered"
                return
            expected = self._rounds[one.entered_after] + 1
        if one.entered != expected:
            yield f"it entered in round {one.entered}, where the next one was {expected}"
        if one.missed not in MISSED.values():
            yield f"it has {one.missed:g} points for each round before it entered"

    def withdrawal(self, one: Entrant) -> Iterator[str]:
        """Report where a bot's withdrawal is impossible."""
        after = one.withdrawn_after
        if after is None or one.withdrawn is None:
            if after is not one.withdrawn:
                yield "it has withdrawn in a round, or after a match, but not both"
            return
        if after not in self._moments and after > 0:
            yield f"it withdrew after match {after}, where no drawing had ended"
            return
        present = self._rounds[after]
        if one.withdrawn not in (present, present + 1) or one.withdrawn < 1:
            yield f"it withdrew in round {one.withdrawn}, when round {present} had been drawn"
        elif one.withdrawn == present and not self._was_undecided(one.name, after):
            yield f"it withdrew in round {present}, every match of which had been played"
        elif one.withdrawn > present and after == len(self._matches) and self._was_over(after):
            yield "it withdrew when the tournament was over"
        for drawn in self._matches[after:]:
            if one.name in drawn.players and drawn.missing.get(one.name) != WITHDRAWN:
                yield f"it had withdrawn before match {drawn.number}, but did not miss it as such"

    def _was_undecided(self, name: str, after: int) -> bool:
        """Whether one of the first matches may have had no result when a bot withdrew."""
        return any(
            name not in drawn.players or drawn.missing.get(name) == WITHDRAWN
            for drawn in self._matches[:after]
        )

    def _was_over(self, after: int) -> bool:
        """Whether no more matches would have been drawn without a withdrawal at this moment."""
        schedule = self._evidence.schedule
        there = tuple(
            dataclasses.replace(one, withdrawn=None, withdrawn_after=None)
            if one.withdrawn_after == after
            else one
            for one in schedule.entrants
        )
        blocks = list(self._evidence.blocks(schedule.matches))
        return not format_of(schedule.description, there).next_blocks(blocks)


def _unplayed(drawn: DrawnMatch) -> str:
    """Report an impossible recorded reason for not playing a match."""
    why_not = {WITHDRAWN, ABSENT, NOT_READY}
    if drawn.state != "walkover" and drawn.missing:
        return f"it is {drawn.state}, but bots missed it"
    if drawn.match is None and drawn.online:
        return "it has no result, but is rated"
    if drawn.state == "played" and drawn.detail is not None:
        return "it was played, but has a reason why not"
    if drawn.state == "dropped" and drawn.detail != Reason.of("test_decided"):
        return f"it was dropped for another reason than a decision: {drawn.detail}"
    if drawn.state == "walkover":
        if not why_not.issuperset(drawn.missing.values()):
            return "a bot missed it for a reason that there is not"
        if set(drawn.missing.values()) == {WITHDRAWN} and drawn.detail != why_missed(drawn.missing):
            return f"it says {str(drawn.detail)!r:.100}, but its bots have withdrawn"
        if drawn.detail is None:
            return "a walkover without a reason"
    return ""
