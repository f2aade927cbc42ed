"""Lays out and draws a bracket: boxes for meetings, and lines to the winners' next ones.

The whole bracket is drawn from the beginning, meetings to come with empty places. All lengths are
in units of the drawing, which are pixels at its natural size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from polynya_contest.pairing.formats.brackets.bracket import (
    Bracket,
    BracketRound,
    Fixture,
    Origin,
)
from polynya_contest.pairing.standings import Meeting, Round

_BELOW = {"losers": 1, "third place": 2}
"""The parts that are drawn below the one with the final, by their row."""


def lay_out(rounds: Sequence[Round]) -> tuple[tuple[Round, ...], ...]:
    """The parts of the bracket, each with its rounds, as a drawing shows them.

    The rounds up to the final come first, the losers' bracket below them, and the match for the
    third place last. In each round the meetings stand in the order of those that their winners
    play next; those whose winner plays no more come last.
    """
    rows: dict[int, list[Round]] = {}
    for round_ in rounds:
        rows.setdefault(_BELOW.get(round_.part, 0), []).append(round_)
    return tuple(_in_order(rows[row]) for row in sorted(rows))


def _in_order(rounds: Sequence[Round]) -> tuple[Round, ...]:
    found: list[Round] = []
    for round_ in reversed(rounds):
        places = _places(found[-1]) if found else {}
        found.append(replace(round_, meetings=_ordered(round_.meetings, places)))
    return tuple(reversed(found))


def _places(round_: Round) -> dict[str, int]:
    """Positions of bots and meetings in a round."""
    places: dict[str, int] = {}
    for meeting in round_.meetings:
        places[meeting.id] = len(places)
        places |= {name: len(places) + seat for seat, name in enumerate(meeting.players)}
    return places


def _ordered(meetings: Sequence[Meeting], places: dict[str, int]) -> tuple[Meeting, ...]:
    def place(meeting: Meeting) -> int:
        ahead = (*meeting.advancing[:1], *meeting.goes_to[:1])
        return next((places[one] for one in ahead if one in places), len(places))

    return tuple(sorted(meetings, key=place)) if places else tuple(meetings)


LINE, SMALL_LINE, BETWEEN, HEAD, APART = 26, 16, 4, 34, 14
"""The height of a bot's line, of a line of small text below a box, of the space between that and
the next box, of a heading, and of the space between the parts of a bracket."""
WIDEST, NARROWEST = 224, 160
"""Of a box: many columns have narrower boxes, so that a bracket fits into ``WINDOW`` if it can."""
WINDOW = 1320
"""The room for a bracket on a page in a window of 1440 pixels."""


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's line in a box.

    Attributes:
        name: the bot's; empty while it is not known.
        seed: its number in the seeding, from 1; 0 while it is not known.
        points: in the meeting; None before it is played.
        won: whether it goes on, or has won the final.
        loser_of: the name of the round from which a loser comes here, if no bot is known yet.
        loser_of_number: of the box of that meeting; 0 if the round has no other.
        loser_of_players: the bots that play that meeting, as far as they are known.
    """

    name: str
    seed: int
    points: float | None
    won: bool
    loser_of: str = ""
    loser_of_number: int = 0
    loser_of_players: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """A meeting, or a bye.

    Attributes:
        x, y: of its upper left corner.
        height: of the box.
        places: the best seed first.
        note: how it was decided, if not by points alone; else empty.
        matches: the names of its matches, in their order.
        number: in its round, from 1, where other boxes name it; else 0.
    """

    x: int
    y: int
    height: int
    places: tuple[Place, ...]
    note: str
    matches: tuple[str, ...]
    number: int = 0

    @property
    def middle(self) -> int:
        """The height at which the line of its winner begins."""
        return self.y + self.height // 2


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of a round above its boxes; ``y`` is its base line."""

    x: int
    y: int
    name: str


@dataclass(frozen=True, slots=True)
class Champion:
    """The box behind the final: its upper left corner, and the bot; empty before it is decided."""

    x: int
    y: int
    name: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A bracket.

    Attributes:
        width, height: of all.
        below: the height of the small text below each box: its matches and, where a meeting was not
            decided by points alone, how it was decided.
        headings: of the rounds.
        boxes: by round.
        lines: from a box to the next one of its winner: the points as ``x,y`` in pairs, and
            whether a bot has gone along there.
        champion: the box of the winner; None in a bracket without meetings.
        box_width, line_height: of all boxes, and of a bot's line in each.
    """

    line_height: ClassVar[int] = LINE
    width: int
    height: int
    below: int
    headings: tuple[Heading, ...]
    boxes: tuple[Box, ...]
    lines: tuple[tuple[str, bool], ...]
    champion: Champion | None
    box_width: int


def draw(
    bracket: Bracket,
    seeds: Sequence[str],
    rounds: Sequence[Round],
    matches: Mapping[tuple[int, frozenset[str]], Sequence[str]],
    champion: str = "",
) -> Drawing:
    """Draw a bracket.

    Args:
        bracket: its fixtures.
        seeds: the bots in the order of the seeding.
        rounds: what has been drawn and played.
        matches: the names of the matches by the number of the round and the bots that met.
        champion: the winner; empty before it is known.
    """
    return _Drawing(bracket, seeds, rounds, matches).whole(champion)


class _Drawing:
    """Builds a drawing."""

    def __init__(
        self,
        bracket: Bracket,
        seeds: Sequence[str],
        rounds: Sequence[Round],
        matches: Mapping[tuple[int, frozenset[str]], Sequence[str]],
    ) -> None:
        self._meetings = {one.id: one for round_ in rounds for one in round_.meetings}
        self._rounds = [one for one in bracket.rounds if self._is_shown(one)]
        self._names = {
            fixture.id: round_.name for round_ in self._rounds for fixture in round_.fixtures
        }
        self._fixtures = {one.id: one for round_ in self._rounds for one in round_.fixtures}
        self._numbers = {
            fixture.id: number if len(round_.fixtures) > 1 else 0
            for round_ in self._rounds
            for number, fixture in enumerate(round_.fixtures, start=1)
        }
        self._byes: dict[Origin, list[Fixture]] = defaultdict(list)
        for one in self._fixtures.values():
            if one.is_bye:
                self._byes[one.origins[0]].append(one)
        self._referred_to: set[str] = set()
        self._seeds = {name: number for number, name in enumerate(seeds, start=1)}
        self._by_seed = seeds
        self._matches = matches
        noted = any(one.note for one in self._meetings.values() if one.note != "bye")
        self._below = SMALL_LINE * (2 if noted else 1)
        self._tops: dict[str, int] = {}
        self._columns = self._placed_in_columns()
        self._width, self._gap = _widths(max(self._columns.values(), default=0) + 2)

    def whole(self, champion: str) -> Drawing:
        """All parts, one below the other, and the box of the winner behind the final."""
        headings: list[Heading] = []
        boxes: dict[str, Box] = {}
        below = 0
        for row in sorted({_BELOW.get(round_.part, 0) for round_ in self._rounds}):
            rounds = [one for one in self._rounds if _BELOW.get(one.part, 0) == row]
            bottom = self._place(rounds, below + HEAD)
            for round_ in rounds:
                x = self._columns[round_.fixtures[0].id] * (self._width + self._gap)
                headings.append(Heading(x, below + HEAD - 12, round_.name))
                boxes |= {one.id: self._box(round_, one, x) for one in round_.fixtures}
            below = bottom + APART
        for one in self._referred_to:
            boxes[one] = replace(boxes[one], number=self._numbers[one])
        last = self._last(boxes)
        lines = list(self._lines(boxes))
        winner = None
        if last is not None:
            winner = Champion(last.x + self._width + self._gap, last.middle - LINE // 2, champion)
            headings.append(Heading(winner.x, HEAD - 12, "winner"))
            along = self._elbow(last, (winner.x, last.middle))
            lines.append((along, bool(champion)))
        return Drawing(
            0 if winner is None else winner.x + self._width,
            max(below - APART, 0),
            self._below,
            tuple(headings),
            tuple(boxes.values()),
            tuple(lines),
            winner,
            self._width,
        )

    def _last(self, boxes: Mapping[str, Box]) -> Box | None:
        """The box of the match that decides: the final, or a second one."""
        finals = [one for one in self._rounds if one.part in ("final", "deciding final")]
        return boxes[finals[-1].fixtures[0].id] if finals else None

    def _is_shown(self, round_: BracketRound) -> bool:
        """Hide the deciding final unless it is played."""
        return round_.part != "deciding final" or round_.fixtures[0].id in self._meetings

    def _placed_in_columns(self) -> dict[str, int]:
        """The column of each fixture: the rounds of a part side by side, finals behind all."""
        counts: dict[str, int] = {}
        found: dict[str, int] = {}
        for round_ in self._rounds:
            if round_.part in ("final", "deciding final", "third place"):
                column = max(counts.values(), default=0)
                if round_.part != "third place":
                    counts[round_.part] = column + 1
            else:
                column = counts.get(round_.part, 0)
                counts[round_.part] = column + 1
            found |= {one.id: column for one in round_.fixtures}
        return found

    def _place(self, rounds: Sequence[BracketRound], top: int) -> int:
        """Place a part's fixtures from ``top`` down; return its bottom."""
        held = {one.id for round_ in rounds for one in round_.fixtures}
        bottom = top
        for round_ in reversed(rounds):
            for fixture in round_.fixtures:
                if fixture.id not in self._tops:
                    bottom = self._place_before(fixture, held, bottom)
        return bottom - BETWEEN if bottom > top else top

    def _place_before(self, fixture: Fixture, held: set[str], top: int) -> int:
        """Place a fixture beside its sources; return the next free height."""
        height = LINE * len(fixture.origins)
        bottom, beside = top, []
        for one in self._feeding(fixture):
            if one.id in held and one.id not in self._tops:
                bottom = self._place_before(one, held, bottom)
                beside.append(self._tops[one.id] + LINE * len(one.origins) // 2)
        middle = (beside[0] + beside[-1]) // 2 if beside else top + height // 2
        self._tops[fixture.id] = middle - height // 2
        return max(bottom, self._tops[fixture.id] + height + self._below + BETWEEN)

    def _feeding(self, fixture: Fixture) -> list[Fixture]:
        """The fixtures from which bots come here along a line, each once."""
        found = (self._source(fixture, origin) for origin in fixture.origins)
        return list(dict.fromkeys(one for one in found if one is not None))

    def _source(self, fixture: Fixture, origin: Origin) -> Fixture | None:
        """The box from which a bot comes here: its last bye, or the meeting that it won."""
        byes = [one for one in self._byes[origin] if one.number < fixture.number]
        if byes:
            return byes[-1]
        return self._fixtures[origin.fixture] if self._leads_on(origin) else None

    def _leads_on(self, origin: Origin) -> bool:
        """Whether a bot comes as a winner, so that a line is drawn."""
        fixture = self._fixtures.get(origin.fixture)
        return fixture is not None and origin.place < fixture.advancing

    def _box(self, round_: BracketRound, fixture: Fixture, x: int) -> Box:
        meeting = self._meetings.get(fixture.id)
        met = frozenset(() if meeting is None else meeting.players)
        return Box(
            x,
            self._tops[fixture.id],
            LINE * len(fixture.origins),
            tuple(self._places(fixture, meeting)),
            "bye" if fixture.is_bye else "" if meeting is None else meeting.note,
            tuple(self._matches.get((round_.number, met), ())),
        )

    def _places(self, fixture: Fixture, meeting: Meeting | None) -> Iterator[Place]:
        """The lines of a box: known bots first, then the sources of the others."""
        known = list(self._known(fixture, meeting))
        for name in known:
            points = None
            if meeting is not None and name in meeting.players and meeting.points:
                points = meeting.points[meeting.players.index(name)]
            won = meeting is not None and name in meeting.advancing
            yield Place(name, self._seeds.get(name, 0), points, won)
        expected = [one for one in fixture.origins if self._came(one) not in known]
        for origin in expected[: len(fixture.origins) - len(known)]:
            yield self._to_come(origin)

    def _to_come(self, origin: Origin) -> Place:
        """The line of a bot that is not known yet."""
        if not origin.fixture or self._leads_on(origin):
            return Place("", 0, None, False)
        source = self._fixtures[origin.fixture]
        self._referred_to.add(source.id)
        players = tuple(self._known(source, self._meetings.get(source.id)))
        number = self._numbers[source.id]
        return Place("", 0, None, False, self._names[source.id], number, players)

    def _known(self, fixture: Fixture, meeting: Meeting | None) -> Iterator[str]:
        if meeting is not None:
            yield from meeting.players
            return
        for origin in fixture.origins:
            name = self._came(origin)
            if name is not None:
                yield name

    def _came(self, origin: Origin) -> str | None:
        """The bot from this source, once it is decided."""
        if not origin.fixture:
            return self._by_seed[origin.place] if origin.place < len(self._by_seed) else None
        meeting = self._meetings.get(origin.fixture)
        if meeting is None or not meeting.advancing:
            return None
        others = [one for one in meeting.players if one not in meeting.advancing]
        order = [*meeting.advancing, *others]
        return order[origin.place] if origin.place < len(order) else None

    def _lines(self, boxes: Mapping[str, Box]) -> Iterator[tuple[str, bool]]:
        for fixture in self._fixtures.values():
            end = boxes[fixture.id]
            for one in self._feeding(fixture):
                begin = boxes[one.id]
                points = self._elbow(begin, (end.x, end.middle))
                meeting = self._meetings.get(one.id)
                yield points, meeting is not None and bool(meeting.advancing)

    def _elbow(self, begin: Box, end: tuple[int, int]) -> str:
        """A line from behind a box that turns in the middle of the space before its end."""
        turn = end[0] - self._gap // 2
        points = ((begin.x + self._width, begin.middle), (turn, begin.middle), (turn, end[1]), end)
        return " ".join(f"{x},{y}" for x, y in points)


def _widths(columns: int) -> tuple[int, int]:
    """The width of a box and of the space beside it, by the number of columns."""
    gap = _GAP if columns <= _MOST_SPACIOUS else _SMALL_GAP
    return min(WIDEST, max(NARROWEST, (WINDOW + gap) // columns - gap)), gap


_GAP, _SMALL_GAP = 44, 30
_MOST_SPACIOUS = 5
