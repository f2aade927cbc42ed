"""The course of a bracket: what became of each fixture, as far as it has been played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from polynya_contest.pairing.formats.brackets.bracket import (
    Bracket,
    BracketRound,
    Fixture,
    Origin,
    Pod,
)
from polynya_contest.pairing.formats.brackets.series import Away, MeetingOutcome, Series
from polynya_contest.pairing.formats.interface import Block, Entrant, PlayedBlock, by_players
from polynya_contest.pairing.standings import Meeting, Round

_GONE = -100


@dataclass(frozen=True, slots=True)
class Out:
    """The round in which a bot went out.

    Attributes:
        order: what its place is decided by, compared from the left, the greater the better: the
            last round for which it was there, and its place within that; a bot that was gone
            stands behind all that were still there in that round.
        round: the name of the round.
    """

    order: tuple[int, int]
    round: str


@dataclass(slots=True)
class Course:
    """A bracket's course as far as it is decided.

    Attributes:
        rounds: as far as they are drawn.
        pending: what has to be played before the next round can be drawn.
        out: the bots that are out.
        champion: the winner, once there is one.
        over: whether everything is decided, with a champion or without.
    """

    rounds: list[Round] = field(default_factory=list)
    pending: list[Block] = field(default_factory=list)
    out: dict[str, Out] = field(default_factory=dict)
    champion: str | None = None
    over: bool = False


class Walk:
    """Follows a bracket through its results.

    Args:
        bracket: of as many seeds as there are ``entrants``.
        entrants: in the order of the seeding.
        series: how meetings are decided.
    """

    def __init__(self, bracket: Bracket, entrants: Sequence[Entrant], series: Series) -> None:
        self._bracket = bracket
        self._entrants = entrants
        self._series = series
        self._seeds = {one.name: seed for seed, one in enumerate(entrants)}
        self._came: dict[Origin, str | None] = {
            Origin("", seed): one.name for seed, one in enumerate(entrants)
        }
        self._last_there: dict[str, int] = {}
        self._course = Course()

    def through(self, played: Sequence[PlayedBlock]) -> Course:
        """Everything that follows from the blocks played."""
        if not self._bracket.rounds and len(self._entrants) == 1:
            self._course.champion = self._entrants[0].name
        for number, rounds in groupby(self._bracket.rounds, key=lambda round_: round_.number):
            blocks = [block for block in played if block.round == number]
            for round_ in rounds:
                self._play(round_, blocks)
            if self._course.pending or self._course.over:
                return self._course
        self._course.over = True
        return self._course

    def _play(self, round_: BracketRound, blocks: Sequence[PlayedBlock]) -> None:
        found = by_players(blocks)
        meetings = [
            meeting
            for fixture in round_.fixtures
            if (meeting := self._meeting(round_, fixture, found)) is not None
        ]
        if meetings:
            self._course.rounds.append(
                Round(round_.number, round_.name, tuple(meetings), round_.part)
            )

    def _meeting(
        self,
        round_: BracketRound,
        fixture: Fixture,
        found: dict[frozenset[str], list[PlayedBlock]],
    ) -> Meeting | None:
        """A fixture as a page shows it; None before a bot reaches it."""
        came = [self._came.get(origin) for origin in fixture.origins]
        players = tuple(sorted((name for name in came if name), key=self._seeds.__getitem__))
        goes_to = self._bracket.goes_to(fixture)
        if fixture.is_bye or not players:
            note = "bye" if players else ""
            return Meeting(players, (), players, note, fixture.id, goes_to) if players else None
        pod = Pod(players, fixture.advancing)
        blocks = found.get(frozenset(players), [])
        away = self._away(fixture, short=len(players) < len(fixture.origins))
        outcome = self._series.outcome(pod, blocks, away)
        if outcome.order:
            advancing = self._decided(round_, fixture, outcome)
        else:
            advancing = ()
            self._course.pending += self._series.next_blocks(fixture.number, pod, blocks)
        return Meeting(players, outcome.points, advancing, outcome.note, fixture.id, goes_to)

    def _away(self, fixture: Fixture, *, short: bool) -> Away:
        ever = [one for one in self._entrants if one.withdrawn is not None]
        before = [one.name for one in ever if not one.plays_in(fixture.number)]
        moments = {one.name: one.withdrawn_after or 0 for one in ever}
        return Away(frozenset(before), moments, short)

    def _comes_again(self, name: str, number: int) -> bool:
        """Whether a bot that missed its meeting in a round has not withdrawn then."""
        return self._entrants[self._seeds[name]].plays_in(number)

    def _decided(
        self, round_: BracketRound, fixture: Fixture, outcome: MeetingOutcome
    ) -> tuple[str, ...]:
        """Send a fixture's bots on or out; return the winners, best first."""
        onward = self._onward(fixture, outcome)
        second_chance = fixture.second_chance and not outcome.gone.issuperset(outcome.order)
        won = []
        for place, name in enumerate(outcome.order):
            if there := name not in outcome.gone:
                self._last_there[name] = fixture.number
            wins = there and place < fixture.advancing
            won += [name] if wins else []
            stays = there or (second_chance and self._comes_again(name, fixture.number))
            if stays and onward[place]:
                self._came[Origin(fixture.id, place)] = name
            elif not wins:
                self._put_out(round_, fixture, name, place, gone=not there)
        if round_.part == "third place" and won:
            self._course.out[won[0]] = Out((fixture.number - 1, 1), round_.name)
        if fixture.id in (self._bracket.final, self._bracket.deciding) and not any(onward):
            self._course.over = True
            self._course.champion = won[0] if won else None
        return tuple(won)

    def _onward(self, fixture: Fixture, outcome: MeetingOutcome) -> tuple[str, ...]:
        """The next fixture for each place; none after the deciding final."""
        onward = self._bracket.goes_to(fixture)
        if fixture.id != self._bracket.final:
            return onward
        first, *others = outcome.order
        without_loss = self._came.get(fixture.origins[0])
        again = first not in outcome.gone and first != without_loss
        again = again and any(
            one not in outcome.gone or self._comes_again(one, fixture.number) for one in others
        )
        return onward if again else ("",) * len(onward)

    def _put_out(
        self, round_: BracketRound, fixture: Fixture, name: str, place: int, *, gone: bool
    ) -> None:
        last, within = fixture.number, 0
        if round_.part == "third place":
            last -= 1
        elif gone:
            since = self._entrants[self._seeds[name]].withdrawn or last
            last, within = min(last, max(since, self._last_there.get(name, 0) + 1)), _GONE
        elif fixture.id == self._bracket.final:
            within = -place
        self._course.out[name] = Out((last, within), round_.name)
