"""The criteria [C6] to [C21] of the Dutch system as fields of a weight, the weightiest first."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_contest.pairing.formats.swiss.field import Player


class Criteria:
    """How good it is for a bracket that two are matched; the sum is to be as great as possible.

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
        """A field for each score: the higher it is, the more it counts."""
        width = self._count * len(self._places)
        if not amount:
            return value << width
        return value << width | amount << self._shift(one)

    def _shift(self, vertex: int) -> int:
        place = self._places[self._players[vertex].score]
        return self._count * (len(self._places) - 1 - place)

    def _pair(self, one: int, other: int, *, inside: bool) -> int:
        """As many pairs as possible, and as high scores in them as possible."""
        if not inside:
            return 0
        scores = (1 << self._shift(one)) + (1 << self._shift(other))
        return 1 << self._count * len(self._places) | scores

    def _bye(self, one: int, other: int) -> int:
        """The more matches it has played, the better it may have the bye."""
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
