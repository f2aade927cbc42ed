"""The FIDE Dutch system in force since 1 February 2026 (FIDE Handbook C.04.3), without colours.

A meeting here is made of blocks, in which each of the two has each seat, so no colour is ever due:
[C3] and [C10] to [C13] have nothing to say. The other criteria are fields of the weights of edges,
and a bracket is the best matching of all who are not paired yet; among candidates that are equally
good the first that 3.6 to 4.4 generate is found by further fields, one stage after another.

A stage is a best matching of all that are not paired yet, by the criteria first. Further fields
find the candidate that is generated first, and each stage fixes a part of it: the set of moved-down
players that are paired (4.4), their opponents (4.2), the residents exchanged between S1 and S2
(4.3), and the opponents of the residents (4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polynya_contest.pairing.formats.swiss.field import (
    Edge,
    NoPairingError,
    PairedRound,
    Player,
    best_matching,
    may_meet,
    ranked,
)


class Criteria:
    """Weights of the pairs of a bracket by its criteria; the best pairing has the largest sum.

    Vertices are numbered by rank: first those that were moved down, then the residents, then all
    with a lower score, and last the bye.

    Args:
        moved, residents, lower: these players.
        least_unplayed: whether [C9] applies.
    """

    def __init__(
        self,
        moved: Sequence[Player],
        residents: Sequence[Player],
        lower: Sequence[Player],
        *,
        least_unplayed: bool,
    ) -> None:
        self._players = [*moved, *residents, *lower]
        self._moved = len(moved)
        self._size = len(moved) + len(residents)
        following = [player for player in lower if player.score == lower[0].score]
        self._next = self._size + len(following)
        scores = sorted({player.score for player in (*moved, *residents, *following)}, reverse=True)
        self._places = {score: place for place, score in enumerate(scores)}
        self._count = (len(self._players) + 1).bit_length()
        self._most_matches = max(player.matches for player in self._players)
        self._least_unplayed = least_unplayed

    def weight(self, one: int, other: int) -> int:
        """The fields of the edge between two vertices, the first of them ranked higher."""
        if one >= self._size and other >= self._next:
            return 0
        inside = other < self._size
        following = self._size <= other < self._next
        value = self._pair(one, other, inside=inside)  # [C6], [C7]
        value = self._join(value, self._pair(one, other, inside=following))  # [C8]
        value = value << self._bits_of_matches | self._bye(one, other)  # [C9]
        for rounds_ago in (1, 2):  # [C14] to [C17]
            value = self._counted(value, self._stays(one, other, rounds_ago, inside=inside))
            value = self._counted(value, self._spared(one, other, rounds_ago, inside=inside))
        for rounds_ago in (1, 2):  # [C18] to [C21]
            value = self._at_score(value, one, self._sinks(one, other, rounds_ago, inside=inside))
            value = self._at_score(value, one, self._spared(one, other, rounds_ago, inside=inside))
        return value

    @property
    def _bits_of_matches(self) -> int:
        return (self._most_matches + 1).bit_length()

    @property
    def _bits_of_pair(self) -> int:
        return self._count * (1 + len(self._places))

    def _join(self, value: int, pair: int) -> int:
        return value << self._bits_of_pair | pair

    def _counted(self, value: int, amount: int) -> int:
        return value << self._count | amount

    def _at_score(self, value: int, one: int, amount: int) -> int:
        """A field for each score, the highest score weightiest."""
        width = self._count * len(self._places)
        if not amount:
            return value << width
        return value << width | amount << self._shift(one)

    def _shift(self, vertex: int) -> int:
        place = self._places[self._players[vertex].score]
        return self._count * (len(self._places) - 1 - place)

    def _pair(self, one: int, other: int, *, inside: bool) -> int:
        """Maximise the number of pairs, then the scores in them."""
        if not inside:
            return 0
        scores = (1 << self._shift(one)) + (1 << self._shift(other))
        return 1 << self._count * len(self._places) | scores

    def _bye(self, one: int, other: int) -> int:
        """Prefer a bye for the player with the most matches."""
        if not self._least_unplayed or other < len(self._players) or one >= self._size:
            return 0
        return self._players[one].matches

    def _stays(self, one: int, other: int, rounds_ago: int, *, inside: bool) -> int:
        """How many residents that floated down then are paired now."""
        if not inside:
            return 0
        return sum(
            vertex >= self._moved and self._players[vertex].floated(rounds_ago) == "down"
            for vertex in (one, other)
        )

    def _sinks(self, one: int, other: int, rounds_ago: int, *, inside: bool) -> int:  # noqa: ARG002
        """Whether a player that was moved down now, and floated down then, is paired."""
        moved = inside and one < self._moved
        return int(moved and self._players[one].floated(rounds_ago) == "down")

    def _spared(self, one: int, other: int, rounds_ago: int, *, inside: bool) -> int:
        """Whether the opponent of a player that was moved down did not float up then."""
        moved = inside and one < self._moved
        return int(moved and self._players[other].floated(rounds_ago) != "up")


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
        """Drop edges inside the bracket that are no longer allowed."""
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


def pair(players: Sequence[Player]) -> PairedRound:
    """The pairing of a round.

    Raises:
        NoPairingError: no complete pairing exists (1.9.3).
    """
    order = ranked(players)
    bye_score = _bye_score(order)
    pairs: list[tuple[int, int]] = []
    floaters: list[Player] = []
    left = order
    while left:
        score = max(player.score for player in left)
        residents = [player for player in left if player.score == score]
        lower = left[len(residents) :]
        found = ScoreBracket(floaters, residents, lower, bye_score).paired()
        pairs += [(one.number, other.number) for one, other in found]
        paired = {number for two in pairs for number in two}
        floaters = [one for one in (*floaters, *residents) if one.number not in paired]
        left = lower
    return PairedRound(tuple(pairs), floaters[0].number if floaters else None)


def _bye_score(order: Sequence[Player]) -> int | None:
    """[C4] and [C5]: the least score with which a player can have the bye; None without a bye."""
    scores = sorted({player.score for player in order})
    places = {score: place for place, score in enumerate(reversed(scores))}
    bye = len(order)
    weights = {
        (one, other): 0
        for other in range(len(order))
        for one in range(other)
        if may_meet(order[one], order[other])
    }
    if len(order) % 2:
        weights |= {
            (number, bye): places[player.score] for number, player in enumerate(order) if player.bye
        }
    found = best_matching(len(order) + len(order) % 2, weights)
    if found is None:
        raise NoPairingError
    return order[found[bye]].score if len(order) % 2 else None
