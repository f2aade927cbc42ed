"""The pairing of one bracket of the Dutch system (C.04.3, 3 and 4).

A stage is a best matching of all that are not paired yet, by the criteria first. Further fields
find the candidate that is generated first, and each stage fixes a part of it: the set of moved-down
players that are paired (4.4), their opponents (4.2), the residents exchanged between S1 and S2
(4.3), and the opponents of the residents (4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polynya_contest.pairing.formats.swiss.criteria import Criteria
from polynya_contest.pairing.formats.swiss.field import NoPairingError, Player, may_meet
from polynya_contest.pairing.formats.swiss.matching import Edge, best_matching

Order = Callable[[int, int], int]


class ScoreBracket:
    """A bracket (1.3.2) before it is paired.

    Args:
        moved: the moved-down players, by rank.
        residents: those of the scoregroup, by rank.
        lower: all with a lower score, by rank.
        bye_score: of the player that will have the bye, by [C5]; None where no player has one.
    """

    def __init__(
        self,
        moved: Sequence[Player],
        residents: Sequence[Player],
        lower: Sequence[Player],
        bye_score: int | None,
    ) -> None:
        self._players = [*moved, *residents, *lower]
        self._moved = len(moved)
        self._size = len(moved) + len(residents)
        self._bye_score = bye_score
        self._edges = self._allowed()
        self._criteria = Criteria(moved, residents, lower, least_unplayed=False).weight
        if bye_score is not None and bye_score >= residents[0].score:
            inside = self._inside(self._best(lambda _one, _other: 0))
            if self._size - 2 * len(inside) == 1:  # the one downfloater will have the bye
                self._criteria = Criteria(moved, residents, lower, least_unplayed=True).weight

    def paired(self) -> list[tuple[Player, Player]]:
        """The pairs of the bracket."""
        if self._moved:
            self._fix_moved()
        return [(self._players[one], self._players[other]) for one, other in self._fix_residents()]

    def _allowed(self) -> list[Edge]:
        players = self._players
        edges = [
            (one, other)
            for other in range(self._moved, len(players))  # the moved down do not meet (3.2.2)
            for one in range(other)
            if may_meet(players[one], players[other])
        ]
        if self._bye_score is not None:
            edges += [
                (one, len(players))
                for one, player in enumerate(players)
                if player.bye and player.score == self._bye_score
            ]
        return edges

    def _best(self, order: Order) -> dict[int, int]:
        """The best matching by the criteria, and then by an order of the pairs inside."""
        orders = {
            edge: order(*edge) if edge[1] < self._size else 0
            for edge in self._edges
            if edge[0] < self._size
        }
        bits = max(orders.values(), default=0).bit_length() + len(self._players).bit_length()
        weights = {
            edge: self._criteria(*edge) << bits | orders.get(edge, 0) for edge in self._edges
        }
        found = best_matching(len(self._players) + (self._bye_score is not None), weights)
        if found is None:
            raise NoPairingError
        return found

    def _inside(self, best: dict[int, int]) -> list[Edge]:
        """The pairs of the bracket in a matching, by their higher ranked player."""
        return sorted((one, other) for one, other in best.items() if one < other < self._size)

    def _keep(self, allowed: Callable[[int, int], bool]) -> None:
        """Drop the edges inside of the bracket that are not allowed any more."""
        self._edges = [edge for edge in self._edges if edge[1] >= self._size or allowed(*edge)]

    def _fix_moved(self) -> None:
        """Fix the moved-down players that are paired here, and their opponents."""
        best = self._best(lambda one, _: 1 << (self._moved - 1 - one) if one < self._moved else 0)
        paired = [one for one, _ in self._inside(best) if one < self._moved]
        limbo = set(range(self._moved)) - set(paired)
        self._keep(lambda one, _: one not in limbo)
        met = dict(self._inside(self._best(self._first_of(paired))))
        fixed = {other: one for one, other in met.items() if one < self._moved}
        self._keep(
            lambda one, other: (
                met[one] == other if one < self._moved else one not in fixed and other not in fixed
            )
        )

    def _fix_residents(self) -> list[Edge]:
        """The pairs: of the moved-down players as they are fixed, and of the residents."""
        best = self._inside(self._best(lambda _one, _other: 0))
        fixed = {vertex for edge in best if edge[0] < self._moved for vertex in edge}
        residents = [one for one in range(self._moved, self._size) if one not in fixed]
        pairs = sum(edge[0] >= self._moved for edge in best)
        changed = self._inside(self._best(_exchange_order(residents, pairs)))
        upper = [one for one, _ in changed if one >= self._moved]
        lower = set(residents) - set(upper)
        self._keep(lambda one, other: one < self._moved or (one not in lower and other in lower))
        return self._inside(self._best(self._first_of(upper)))

    def _first_of(self, upper: Sequence[int]) -> Order:
        """Transpositions (4.2): the first has the opponent of the best rank, then the second ..."""
        digit = self._size.bit_length()
        places = {one: digit * (len(upper) - 1 - place) for place, one in enumerate(upper)}
        return lambda one, other: (self._size - other) << places[one] if one in places else 0


def _exchange_order(residents: Sequence[int], pairs: int) -> Order:
    """Exchanges (4.3) between the original S1, the first ``pairs`` of the residents, and S2.

    The higher ranked of a pair is the one in S1. The fields: few exchanged players, a small
    difference of the sums of numbers exchanged, low ranks leave S1, high ranks come into it.
    """
    numbers = {vertex: number for number, vertex in enumerate(residents)}
    count = len(residents)
    width = (count * count).bit_length()

    def order(one: int, other: int) -> int:
        if one not in numbers or other not in numbers:
            return 0
        number = numbers[one]
        original = number < pairs
        value = original << width | (count - number)
        value = value << (count + width) | ((1 << count) - (1 << number) if original else 0)
        return value << count | (0 if original else 1 << (count - 1 - number))

    return order
