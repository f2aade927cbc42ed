"""Brackets of single and double elimination: meetings, and where winners and losers go next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Literal

Part = Literal["knockout", "winners", "losers", "third place", "final", "deciding final"]


@dataclass(frozen=True, slots=True)
class Pod:
    """Bots that are to meet, the best seed first, and how many of them go on."""

    players: tuple[str, ...]
    advancing: int


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a fixture's bot: a seed, or a place in an earlier fixture.

    Attributes:
        fixture: the id of an earlier fixture; empty for a seed.
        place: the place in that fixture, 0 for its winner; or the seed, 0 for the best.
    """

    fixture: str
    place: int


@dataclass(frozen=True, slots=True)
class Fixture:
    """A meeting at its fixed place in the bracket, independently of the bots that play it.

    Attributes:
        id: ``PART/ROUND/PLACE``: the round within its part and the place within that round, from 1.
        number: of the round in which it is played; rounds of several parts may share one.
        origins: one for each bot; a single one is a bye.
        advancing: how many of the bots go on from here as winners.
        second_chance: whether its loser goes on among the losers.
    """

    id: str
    number: int
    origins: tuple[Origin, ...]
    advancing: int = 1
    second_chance: bool = False

    @property
    def is_bye(self) -> bool:
        """Whether the fixture is a bye."""
        return len(self.origins) == 1


@dataclass(frozen=True, slots=True)
class BracketRound:
    """The fixtures of one part of the bracket that are played at the same time."""

    number: int
    part: Part
    name: str
    fixtures: tuple[Fixture, ...]


@dataclass(frozen=True)
class Bracket:
    """A whole bracket; every fixture stands behind those that its bots come from.

    Attributes:
        rounds: by number; the last one holds the final, or the deciding final.
        deciding: the fixture that is played only if the final was won by the bot with a loss.
    """

    rounds: tuple[BracketRound, ...]
    deciding: str = ""

    @cached_property
    def final(self) -> str:
        """The id of the final; empty in a bracket without fixtures."""
        return next((round_.fixtures[0].id for round_ in self.rounds if round_.part == "final"), "")

    @cached_property
    def _next(self) -> dict[Origin, str]:
        # A bot with a bye stands in two fixtures: the later one is where it goes.
        return {
            origin: fixture.id
            for round_ in self.rounds
            for fixture in round_.fixtures
            for origin in fixture.origins
        }

    def goes_to(self, fixture: Fixture) -> tuple[str, ...]:
        """The next fixture's id for each place in a fixture; empty where a bot is out."""
        if fixture.is_bye:
            return (self._next[fixture.origins[0]],)
        places = range(len(fixture.origins))
        return tuple(self._next.get(Origin(fixture.id, place), "") for place in places)


def knockout_bracket(bots: int, size: int, *, third_place: bool = False) -> Bracket:
    """Rounds of pods of ``size``, in which about half of the players are out.

    The first rounds bring the field to ``size`` times a power of two, which the final needs; the
    best seeds have byes meanwhile. For two players it is the usual bracket: 1 meets the last, and
    meets 2 in the final at the earliest. A field smaller than ``size`` has no fixtures.

    Args:
        bots: how many.
        size: of a pod.
        third_place: whether the losers of the two semi-finals meet, where there are two.
    """
    places = [Origin("", seed) for seed in range(bots)]
    rounds: list[BracketRound] = []
    semifinals: list[Fixture] = []
    while len(places) >= size:
        number = len(rounds) + 1
        drawn, left = _knockout_round(places, size, number)
        if len(places) == size and size == 2 and third_place and len(semifinals) == 2:
            rounds.append(_third_place(semifinals, number))
        rounds.append(drawn)
        semifinals = [fixture for fixture in drawn.fixtures if not fixture.is_bye]
        places = left if len(places) > size else []
    return Bracket(tuple(rounds))


def _knockout_round(
    places: Sequence[Origin], size: int, number: int
) -> tuple[BracketRound, list[Origin]]:
    """A round, and the places in the bracket after it, the best first."""
    is_final = len(places) == size
    part: Part = "final" if is_final else "knockout"
    byes, pods = _pods(len(places), size)
    fixtures = [
        *(Fixture(f"{part}/{number}/{place + 1}", number, (places[place],)) for place in byes),
        *(
            Fixture(
                f"{part}/{number}/{len(byes) + pod}",
                number,
                tuple(places[place] for place in held),
                advancing,
            )
            for pod, (held, advancing) in enumerate(pods, start=1)
        ),
    ]
    left = [(place, places[place]) for place in byes]
    for fixture, (held, advancing) in zip(fixtures[len(byes) :], pods, strict=True):
        left += [(held[won], Origin(fixture.id, won)) for won in range(advancing)]
    name = _knockout_name(len(places), size, number)
    drawn = BracketRound(number, part, name, tuple(fixtures))
    return drawn, [origin for _, origin in sorted(left, key=lambda pair: pair[0])]


def _pods(bots: int, size: int) -> tuple[list[int], list[tuple[list[int], int]]]:
    """Of a round the places with a bye, and of each pod its places and how many go on."""
    if bots == size:
        return [], [(list(range(size)), 1)]
    left = size
    while 2 * left < bots:
        left *= 2
    out = bots - left
    count = min(-(-out // (size // 2)), bots // size)
    first = bots - count * size
    held: list[list[int]] = [[] for _ in range(count)]
    for number in range(count * size):
        row, column = divmod(number, count)
        held[column if row % 2 == 0 else count - 1 - column].append(first + number)
    each, more = divmod(out, count)
    pods = [(pod, size - each - (number < more)) for number, pod in enumerate(held)]
    return list(range(first)), pods


def _knockout_name(left: int, size: int, number: int) -> str:
    if left == size:
        return "final"
    if size == 2 and left in (3, 4):
        return "semi-finals"
    return "quarter-finals" if size == 2 and 5 <= left <= 8 else f"round {number}"


def _third_place(semifinals: Sequence[Fixture], number: int) -> BracketRound:
    origins = tuple(Origin(fixture.id, 1) for fixture in semifinals)
    fixture = Fixture("third place/1/1", number, origins)
    return BracketRound(number, "third place", "third place", (fixture,))


_CROSSINGS = ("000", "111", "100", "011", "001", "110", "101", "010")
"""Halves, quarters and eighths of the losers' bracket to exchange, by winners' round.

Two bots that have met meet again among the losers where the halves (quarters, ...) to which they
dropped come together, so the losers of different rounds drop to different ones as far as these
go: any two rounds differ in the first digit among two of them, in the first two among four. The
last digit stands for all that follow. For 8 and 32 bots the crossings are those of the usual
published brackets (reverse; reverse, exchange halves, natural).
"""

_Places = Sequence[Origin | None]


def double_bracket(bots: int) -> Bracket:
    """Winners' and losers' bracket, final, and the final that decides if the first one does not.

    The winners' bracket is that of a knockout, with byes for the best seeds. The losers of its
    first round meet each other; in each second round of the losers' bracket the losers of the next
    winners' round come in. Winners' round n is played in round n, losers' round n in round n + 1.
    """
    if bots < 2:
        return Bracket(())
    builder = _Builder()
    rounds = (bots - 1).bit_length()
    seeds = [Origin("", seed) if seed < bots else None for seed in _seeds_by_place(rounds)]
    dropped = []
    winners: _Places = seeds
    for number in range(1, rounds + 1):
        winners, out = builder.play("winners", number, list(_pairs(winners)))
        dropped.append([out[place] for place in _crossed(number, len(out))])
    losers: _Places = dropped[0]
    for second in dropped[1:]:
        if len(losers) > 1:
            losers, _ = builder.play("losers", builder.lost + 1, list(_pairs(losers)))
        losers, _ = builder.play("losers", builder.lost + 1, list(zip(losers, second, strict=True)))
    last = max(builder.lost + 1, rounds)
    builder.add("final", last + 1, (winners[0], losers[0]))
    first, second_ = (Origin("final/1/1", place) for place in (0, 1))
    builder.add("deciding final", last + 2, (first, second_))
    return Bracket(builder.in_order(), deciding="deciding final/1/1")


def _seeds_by_place(rounds: int) -> list[int]:
    """The seeds, 0 the best, from top to bottom: if the better ones win, 1 and 2 meet at last."""
    placed = [0]
    for _ in range(rounds):
        last = 2 * len(placed) - 1
        placed = [seed for better in placed for seed in (better, last - better)]
    return placed


def _pairs(places: _Places) -> Iterator[tuple[Origin | None, Origin | None]]:
    return zip(places[::2], places[1::2], strict=True)


def _crossed(number: int, losers: int) -> list[int]:
    """For each place of the losers of winners' round ``number``: the fixture it comes from."""
    digits = losers.bit_length() - 1
    pattern = _CROSSINGS[(number - 1) % len(_CROSSINGS)]
    mask = int("0" + (pattern + pattern[-1] * digits)[:digits], 2)
    return [place ^ mask for place in range(losers)]


class _Builder:
    """Builds rounds of fixtures; an empty place (None) makes a bye and is passed on.

    Attributes:
        lost: rounds of the losers' bracket so far.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._rounds: list[BracketRound] = []

    def play(
        self, part: Part, number: int, pairs: Sequence[tuple[Origin | None, Origin | None]]
    ) -> tuple[list[Origin | None], list[Origin | None]]:
        """Add a round of a part; return its winners and losers as origins."""
        at = number
        if part == "losers":
            self.lost, at = number, number + 1
        fixtures, winners, losers = [], list[Origin | None](), list[Origin | None]()
        for place, pair in enumerate(pairs, start=1):
            there = tuple(origin for origin in pair if origin is not None)
            fixture = Fixture(f"{part}/{number}/{place}", at, there, 1, part == "winners")
            met = len(there) == 2
            fixtures += [fixture] if there else []
            winners.append(Origin(fixture.id, 0) if met else next(iter(there), None))
            losers.append(Origin(fixture.id, 1) if met else None)
        self._rounds.append(BracketRound(at, part, f"{part}' round {number}", tuple(fixtures)))
        return winners, losers

    def add(self, part: Part, number: int, pair: tuple[Origin | None, Origin | None]) -> None:
        """Add a final."""
        origins = tuple(origin for origin in pair if origin is not None)
        fixture = Fixture(f"{part}/1/1", number, origins, 1, part == "final")
        self._rounds.append(BracketRound(number, part, part, (fixture,)))

    def in_order(self) -> tuple[BracketRound, ...]:
        """All rounds by number, without rounds of byes only."""
        met = [one for one in self._rounds if not all(f.is_bye for f in one.fixtures)]
        lost = count(1)
        named = [
            replace(one, name=f"losers' round {next(lost)}") if one.part == "losers" else one
            for one in met
        ]
        return tuple(sorted(named, key=lambda one: one.number))
