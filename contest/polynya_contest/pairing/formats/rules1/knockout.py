"""Knockout and double elimination: who loses is out, at once or after the second time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from polynya_contest.pairing.formats.interface import (
    Block,
    Entrant,
    Format,
    PlayedBlock,
    by_players,
    by_round,
)
from polynya_contest.pairing.formats.rules1.brackets import (
    Draw,
    Pod,
    halving_draw,
    knockout_draw,
    next_seeds,
)
from polynya_contest.pairing.formats.rules1.series import Series
from polynya_contest.pairing.standings import Meeting, Merit, Round


@dataclass(slots=True)
class _Course:
    """A tournament gone through from its beginning as far as it is decided.

    Attributes:
        rounds: all that were drawn.
        pending: what has to be played before the next can be drawn.
        reached: the last round of each bot that is out, and its place within it, 0 the best.
        left: who is in, the best seed first.
    """

    rounds: list[Round] = field(default_factory=list)
    pending: list[Block] = field(default_factory=list)
    reached: dict[str, tuple[int, int]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def put_out(self, number: int, losers: Sequence[str]) -> None:
        """These lost their last chance in a round."""
        for place, name in enumerate(losers):
            self.reached[name] = (number, place)


class Elimination(Format):
    """The base of knockout and double elimination: going through what was played."""

    def __init__(self, entrants: Sequence[Entrant], players: int, series: Series) -> None:
        self._entrants = entrants
        self._players = players
        self._series = series

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The next round's first blocks, or more for meetings that are not decided yet."""
        return self._course(played).pending

    def rounds(self, played: Sequence[PlayedBlock]) -> tuple[Round, ...]:
        """The bracket so far."""
        return tuple(self._course(played).rounds)

    def merits(self, played: Sequence[PlayedBlock]) -> Mapping[str, Merit]:
        """How far each bot came; bots that were put out in the same round share a place."""
        course = self._course(played)
        last = len(course.rounds) + 1
        winner = course.left[0] if len(course.left) == 1 else None
        merits = {name: Merit((last, 0), {"out": ""}) for name in course.left}
        for name, (number, place) in course.reached.items():
            shown = course.rounds[number - 1].name
            merits[name] = Merit(
                (number, -place if winner and number == last - 1 else 0), {"out": shown}
            )
        if winner is not None:
            merits[winner] = Merit((last, 0), {"out": "winner"})
        return merits

    @abstractmethod
    def _course(self, played: Sequence[PlayedBlock]) -> _Course:
        """Everything that follows from the blocks played."""

    def _play(
        self, course: _Course, number: int, name: str, draw: Draw, blocks: Sequence[PlayedBlock]
    ) -> list[Meeting]:
        """Add a draw to the round ``number``; its meetings, each with its outcome."""
        absent = {one.name for one in self._entrants if not one.plays_in(number)}
        found = by_players(blocks)
        meetings = []
        for pod in draw.pods:
            met = found.get(frozenset(pod.players), [])
            meeting = self._series.meeting(pod, met, absent)
            if not meeting.advancing:
                course.pending += self._series.next_blocks(number, pod, met)
            meetings.append(meeting)
        shown = [
            *(
                replace(meeting, advancing=meeting.advancing[: pod.advancing])
                for pod, meeting in zip(draw.pods, meetings, strict=True)
            ),
            *(Meeting((bot,), (), (bot,), "bye") for bot in draw.byes),
        ]
        course.rounds.append(Round(number, name, tuple(shown)))
        return meetings


class Knockout(Elimination):
    """Pods of two to four, of which the better half goes on, and from the final the winner."""

    def _course(self, played: Sequence[PlayedBlock]) -> _Course:
        course = _Course(left=[one.name for one in self._entrants])
        rounds = by_round(played)
        while len(course.left) > 1 and not course.pending:
            number = len(course.rounds) + 1
            draw = knockout_draw(course.left, self._players)
            blocks = rounds[number - 1] if number <= len(rounds) else []
            name = _round_name(len(course.left), self._players, number)
            meetings = self._play(course, number, name, draw, blocks)
            if not course.pending:
                self._go_on(course, number, draw, meetings)
        return course

    def _go_on(self, course: _Course, number: int, draw: Draw, meetings: Sequence[Meeting]) -> None:
        for pod, meeting in zip(draw.pods, meetings, strict=True):
            course.put_out(number, meeting.advancing[pod.advancing :])
        winners = [
            meeting.advancing[: pod.advancing]
            for pod, meeting in zip(draw.pods, meetings, strict=True)
        ]
        course.left = next_seeds(course.left, draw, winners)


def _round_name(left: int, players: int, number: int) -> str:
    if left == players:
        return "final"
    if players == 2 and left in (3, 4):
        return "semi-finals"
    return "quarter-finals" if players == 2 and 5 <= left <= 8 else f"round {number}"


class DoubleElimination(Elimination):
    """Pairs; who loses goes on among the losers, and is out when it loses again.

    In each round both brackets play. At last the two who are left meet; if the one without a loss
    loses, they meet again.
    """

    def _course(self, played: Sequence[PlayedBlock]) -> _Course:
        course = _Course(left=[one.name for one in self._entrants])
        rounds = by_round(played)
        winners, losers = list(course.left), list[str]()
        while len(winners) + len(losers) > 1 and not course.pending:
            number = len(course.rounds) + 1
            blocks = rounds[number - 1] if number <= len(rounds) else []
            draw = _both(winners, losers)
            meetings = self._play(course, number, _name(winners, losers, number), draw, blocks)
            if not course.pending:
                winners, losers = _after(course, number, winners, losers, meetings)
                course.left = [*winners, *losers]
        return course


def _both(winners: Sequence[str], losers: Sequence[str]) -> Draw:
    """The meetings of both brackets in one round; the final when each has one bot left."""
    if len(winners) <= 1 and len(losers) == 2 - len(winners):
        return Draw((), (Pod((*winners, *losers), 1),))
    upper = knockout_draw(winners, 2) if len(winners) > 1 else Draw(tuple(winners), ())
    lower = halving_draw(losers) if len(losers) > 1 else Draw(tuple(losers), ())
    return Draw((*upper.byes, *lower.byes), (*upper.pods, *lower.pods))


def _name(winners: Sequence[str], losers: Sequence[str], number: int) -> str:
    if len(winners) + len(losers) > 2 or not losers:
        return f"round {number}" if losers or len(winners) > 2 else "first meeting"
    return "final" if winners else "deciding final"


def _after(
    course: _Course,
    number: int,
    winners: Sequence[str],
    losers: Sequence[str],
    meetings: Sequence[Meeting],
) -> tuple[list[str], list[str]]:
    """Both brackets after a round; a bot that lost among the losers is out."""
    beaten = {meeting.advancing[1]: meeting.advancing[0] for meeting in meetings}
    course.put_out(number, [name for name in beaten if name in losers])
    dropped = [name for name in winners if name in beaten]
    upper = [name for name in _seats(winners, beaten) if name in winners]
    lower = [name for name in _seats(losers, beaten) if name in losers or not winners]
    if len(winners) == len(losers) == 1 and dropped:
        return [], [*losers, *dropped]
    # Bots that come from above are ahead, so that they get the byes; reversed, so that no bot meets
    # the bot again that it has just beaten there.
    return upper, [*reversed(dropped), *lower]


def _seats(seeded: Sequence[str], beaten: Mapping[str, str]) -> list[str]:
    """Those who are left, where a winner takes over the better seed of the two."""
    places = {name: number for number, name in enumerate(seeded)}
    taken = {name: place for name, place in places.items() if name not in beaten}
    for loser, winner in beaten.items():
        if winner in taken and loser in places:
            taken[winner] = min(taken[winner], places[loser])
    return sorted(taken, key=lambda name: taken[name])
