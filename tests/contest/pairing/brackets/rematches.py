"""An independent checker of double elimination: when can two bots meet again among the losers?

It knows a bracket only by its fixtures: which bots may come to each, and by which way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from polynya_contest.pairing.formats.brackets.bracket import Bracket, Fixture

Drops = dict[tuple[int, int], int]
"""By winners' round and place in it, from 0: the losers' place to which its loser drops.

In the first round it is the pair, in a later one the place among the matches in which that round's
losers come in.
"""


def earliest_rematch(bracket: Bracket) -> int:
    """The first round of the losers' bracket (1, 2, ..., byes included) with a possible rematch.

    Every course of the bracket is looked at: a set of pairs for each two bots that may have met.
    """
    fixtures = [fixture for round_ in bracket.rounds for fixture in round_.fixtures]
    by_id = {fixture.id: fixture for fixture in fixtures if not fixture.is_bye}
    return min(
        _losers_round(fixture)
        for fixture in by_id.values()
        if fixture.id.startswith("losers/") and _can_be_rematch(fixture, by_id)
    )


def _losers_round(fixture: Fixture) -> int:
    return int(fixture.id.split("/")[1])


def _can_be_rematch(fixture: Fixture, by_id: Mapping[str, Fixture]) -> bool:
    """Whether two bots that come from different sides have lost in fixtures of one another."""
    one, other = ({*_dropped(origin.fixture, origin.place, by_id)} for origin in fixture.origins)
    return any(
        _leads_to(early, late, by_id) or _leads_to(late, early, by_id)
        for early in one
        for late in other
    )


def _dropped(fixture: str, place: int, by_id: Mapping[str, Fixture]) -> Iterator[str]:
    """The winners' fixtures whose losers may come along this way."""
    if place == 1:
        yield fixture
    else:
        for origin in by_id[fixture].origins:
            yield from _dropped(origin.fixture, origin.place, by_id)


def _leads_to(early: str, late: str, by_id: Mapping[str, Fixture]) -> bool:
    """Whether the winner of ``early`` may lose in ``late``."""
    return any(
        origin.fixture and (origin.fixture == early or _leads_to(early, origin.fixture, by_id))
        for origin in by_id[late].origins
    )


class Search:
    """All ways in which losers may drop, by backtracking.

    Args:
        bots: of the bracket, with byes for the best seeds up to the next power of two.
        any_pairs: whether losers of the first round may form any pairs, not only neighbours.
    """

    def __init__(self, bots: int, *, any_pairs: bool = False) -> None:
        self._rounds = (bots - 1).bit_length()
        met_at_first = _met_in_first_round(bots, self._rounds)
        self._ties = [
            (number, place)
            for number in range(self._rounds, 0, -1)
            for place in range(2 ** (self._rounds - number))
            if number > 1 or met_at_first[place]
        ]
        self._any_pairs = any_pairs

    def latest(self) -> int:
        """The losers' round before which no way of dropping can avoid a rematch."""
        goal = 1
        while goal < 2 * self._rounds - 2 and self._exists({}, 0, goal + 1):
            goal += 1
        return goal

    def _exists(self, drops: Drops, decided: int, goal: int) -> bool:
        """Whether the ties that are left can drop without a rematch before round ``goal``."""
        if decided == len(self._ties):
            return True
        number, place = self._ties[decided]
        for slot in self._slots(drops, number, place):
            drops[number, place] = slot
            if self._late_enough(drops, number, place, goal) and self._exists(
                drops, decided + 1, goal
            ):
                return True
            del drops[number, place]
        return False

    def _slots(self, drops: Drops, number: int, place: int) -> list[int]:
        if number == 1 and not self._any_pairs:
            return [place // 2]
        taken = [slot for (other, _), slot in drops.items() if other == number]
        most = 2 if number == 1 else 1
        return [s for s in range(2 ** self._digits(number)) if taken.count(s) < most]

    def _digits(self, number: int) -> int:
        return self._rounds - max(number, 2)

    def _late_enough(self, drops: Drops, number: int, place: int, goal: int) -> bool:
        return all(
            self._meeting(number, drops[number, place], other, slot) >= goal
            for (other, place_), slot in drops.items()
            if (other > number and place >> (other - number) == place_)
            or (other < number and place_ >> (number - other) == place)
        )

    def _meeting(self, one: int, slot: int, other: int, slot_: int) -> int:
        """The round in which losers of these rounds, in these places, meet at the latest."""
        (early, first), (late, second) = sorted([(one, slot), (other, slot_)])
        first >>= self._digits(early) - self._digits(late)
        if first == second:
            return 1 if late == 1 else 2 * late - 2
        return 2 * late - 2 + 2 * (first ^ second).bit_length() - 1


def _met_in_first_round(bots: int, rounds: int) -> list[bool]:
    """By place in the first round, whether it is no bye: seeds by halves, quarters, ..."""
    placed = [1]
    while len(placed) < 2**rounds:
        placed = [seed for one in placed for seed in (one, 2 * len(placed) + 1 - one)]
    return [max(pair) <= bots for pair in zip(placed[::2], placed[1::2], strict=True)]


def rematches(meetings: Mapping[str, tuple[str, ...]]) -> list[int]:
    """The losers' rounds in which two bots met again, from the meetings of a bracket by id."""
    return [
        int(one.split("/")[1])
        for other, one in combinations(meetings, 2)
        if one.startswith("losers/") and set(meetings[one]) == set(meetings[other])
    ]
