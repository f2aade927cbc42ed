"""Schedules without results: Berger tables, balanced groups, and orders of seats.

Pairs and groups are numbers: bots are 0 to n - 1, in the order of the tournament's description.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

Group = tuple[int, ...]
Bot = TypeVar("Bot", bound=Hashable)

# Measured: more of either makes no field up to 64 bots more even, only slower (1 s at 64).
_MOST_CANDIDATES = 600
_PASSES = 4


def berger_rounds(bots: int) -> list[list[Group]]:
    """All pairs, in rounds in which each bot plays at most once.

    The Berger table (FIDE Handbook C.05, annex 1): with an odd number one bot rests in each round.
    """
    size = bots + bots % 2
    return [
        [pair for pair in _berger_round(size, number) if max(pair) < bots]
        for number in range(size - 1)
    ]


def _berger_round(size: int, number: int) -> Iterator[Group]:
    """Pairs of round ``number`` (from 0): the last bot stays, the others go round."""
    others = size - 1
    first = number * (size // 2) % others
    last = size - 1
    yield (first, last) if number % 2 == 0 else (last, first)
    for step in range(1, size // 2):
        yield (first + step) % others, (first - step) % others


def rotations(players: Sequence[Bot]) -> list[tuple[Bot, ...]]:
    """The orders in which each player has each seat once, and the same neighbours at the table."""
    return [(*players[first:], *players[:first]) for first in range(len(players))]


def seat_orders(players: Sequence[Bot]) -> list[tuple[Bot, ...]]:
    """The seats of a block's matches: each player has each seat once.

    For an even number of players they are a Williams design ("Experimental designs balanced for the
    estimation of residual effects of treatments", 1949): each player sits right before each other
    equally often as right after it. For three players no single block does that, two do: see
    :func:`table_orders`.
    """
    count = len(players)
    if count % 2:
        return rotations(players)
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    return [tuple([players[(first + place) % count] for place in zigzag]) for first in range(count)]


def table_orders(players: Sequence[Bot]) -> list[tuple[Bot, ...]]:
    """Orders of a block's players that differ in the neighbours of a player.

    For three players the two directions round the table; for four the three ways to choose who
    is opposite to whom. Blocks that take them in turn seat each bot right before each other bot
    equally often.
    """
    if len(players) == 3:
        one, two, three = players
        return [(one, two, three), (one, three, two)]
    if len(players) == 4:
        one, two, three, four = players
        return [(one, two, three, four), (one, three, two, four), (one, two, four, three)]
    return [tuple(players)]


class Neighbours:
    """Balances neighbours: counts which bot sat right before which, and picks the most even order.

    The table is round: the bot at seat 0 moves right after the bot at the last seat.
    """

    def __init__(self) -> None:
        self._before: Counter[tuple[Hashable, Hashable]] = Counter()

    def seat(self, players: Sequence[Bot]) -> tuple[Bot, ...]:
        """Pick and count the order that is most even with all blocks so far."""
        orders = table_orders(players)
        chosen = min(orders, key=self._unevenness) if len(orders) > 1 else orders[0]
        if len(orders) > 1:
            self._before.update(_neighbours(chosen))
        return chosen

    def _unevenness(self, players: Sequence[Hashable]) -> int:
        """Growth of the sum of squared counts."""
        added = Counter(_neighbours(players))
        return sum(more * (2 * self._before[pair] + more) for pair, more in added.items())


def _neighbours(players: Sequence[Bot]) -> Iterator[tuple[Bot, Bot]]:
    for seats in seat_orders(players):
        yield from zip(seats, (*seats[1:], seats[0]), strict=True)


def balanced_groups(bots: int, size: int) -> Iterator[list[Group]]:
    """Yield, cycle by cycle, groups of ``size`` in which all bots play equally often.

    In a cycle all pairs meet; over all the cycles so far, any two pairs' numbers of meetings
    differ by at most one wherever the search below finds such groups (a test says where).

    A cyclic design (Bose, "On the construction of balanced incomplete block designs", 1939): a
    base block is shifted round all the bots, so each bot takes each place of it once, and a pair
    meets as often as its distance round the circle occurs in the base blocks.
    """
    meetings = (0,) * (bots // 2)
    while True:
        drawn, meetings = _cycle_of_groups(bots, size, meetings)
        yield drawn


def count_groups(bots: int, size: int, cycles: int) -> int:
    """The number of groups in this many cycles."""
    meetings = (0,) * (bots // 2)
    before: dict[tuple[int, ...], int] = {}
    counts: list[int] = []
    while len(counts) < cycles and meetings not in before:
        before[meetings] = len(counts)
        drawn, meetings = _cycle_of_groups(bots, size, meetings)
        counts.append(len(drawn))
    if len(counts) == cycles:
        return sum(counts)
    # From here on the same cycles come again and again.
    first = before[meetings]
    again = counts[first:]
    times, left = divmod(cycles - first, len(again))
    return sum(counts[:first]) + times * sum(again) + sum(again[:left])


@lru_cache(maxsize=256)
def _cycle_of_groups(
    bots: int, size: int, before: tuple[int, ...]
) -> tuple[list[Group], tuple[int, ...]]:
    """A cycle's groups, and the meetings after it, both by distance and the fewest of them as 0.

    Only differences between the meetings matter: every base block brings equally many in all, so a
    constant more of each makes all base blocks dearer by the same.
    """
    if bots == size:
        return [tuple(range(bots))], before
    meetings = Counter(dict(enumerate(before, start=1)))
    bases = _bases(_base_blocks(bots, size), meetings)
    for base in bases:
        meetings.update(base.meetings)
    fewest = min(meetings.values())
    after = tuple(meetings[distance] - fewest for distance in range(1, len(before) + 1))
    return _spread(_shifted(bases, bots), bots), after


@dataclass(frozen=True, slots=True)
class BaseBlock:
    """A base block and what it adds to the meetings of a pair, by the pair's distance.

    ``half`` is the distance half way round, at which there are half as many pairs; None if odd.
    """

    group: Group
    meetings: Counter[int]
    half: int | None


@lru_cache(maxsize=16)
def _base_blocks(bots: int, size: int) -> list[BaseBlock]:
    """Base blocks: groups with bot 0, an even sample of them where there are too many to try."""
    others = math.comb(bots - 1, size - 1)
    stride = -(-others // _MOST_CANDIDATES)
    half = bots // 2 if bots % 2 == 0 else None
    return [
        BaseBlock(group, _distances(group, bots), half)
        for group in ((0, *_combination(bots, size - 1, n)) for n in range(0, others, stride))
    ]


def _combination(bots: int, size: int, number: int) -> Group:
    """The ``number``-th of the groups of ``size`` of the bots from 1 on, in ascending order.

    It is counted, not listed: there may be more of them than fit into memory.
    """
    group: list[int] = []
    for bot in range(1, bots):
        with_bot = math.comb(bots - 1 - bot, size - len(group) - 1)
        if number < with_bot:
            group.append(bot)
            if len(group) == size:
                break
        else:
            number -= with_bot
    return tuple(group)


def _distances(group: Group, bots: int) -> Counter[int]:
    """Meetings by distance of a pair when ``group`` is shifted through all bots."""
    found: Counter[int] = Counter()
    for one, other in itertools.combinations(group, 2):
        distance = min(other - one, bots - other + one)
        # Half way round there are half as many pairs, so each of them meets twice.
        found[distance] += 2 if 2 * distance == bots else 1
    return found


def _bases(candidates: Sequence[BaseBlock], before: Counter[int]) -> list[BaseBlock]:
    """The fewest base blocks found that bring each pair one more meeting, evenly."""
    least = -(-len(before) // max(len(base.meetings) for base in candidates))
    found = []
    for count in range(least, 2 * least + 3):
        bases = _local_search(candidates, before, count)
        if _imbalance(bases, before) == 0:
            return bases
        found.append(bases)
    return min(found, key=lambda bases: _imbalance(bases, before))


def _local_search(
    candidates: Sequence[BaseBlock], before: Counter[int], count: int
) -> list[BaseBlock]:
    """``count`` base blocks: replaced one at a time until no exchange improves the balance."""
    meetings = Counter(before)
    chosen: list[BaseBlock] = []
    for _ in range(count):
        chosen.append(_best(candidates, meetings))
        meetings.update(chosen[-1].meetings)
    for place in list(range(count)) * _PASSES:
        meetings.subtract(chosen[place].meetings)
        chosen[place] = _best(candidates, meetings)
        meetings.update(chosen[place].meetings)
    return chosen


def _best(candidates: Sequence[BaseBlock], meetings: Counter[int]) -> BaseBlock:
    return min(candidates, key=lambda base: _cost(base, meetings))


def _cost(base: BaseBlock, meetings: Counter[int]) -> int:
    """Growth of the sum of squared meetings by this base block, per pair and doubled."""
    return sum(
        (2 * meetings[distance] + more) * more * (1 if distance == base.half else 2)
        for distance, more in base.meetings.items()
    )


def _imbalance(bases: Sequence[BaseBlock], before: Counter[int]) -> int:
    """Distance from the ideal of one new meeting for each pair; 0 is ideal."""
    meetings = Counter(before)
    for base in bases:
        meetings.update(base.meetings)
    unmet = sum(meetings[distance] == before[distance] for distance in before)
    return 100 * unmet + max(0, max(meetings.values()) - min(meetings.values()) - 1)


def _shifted(bases: Sequence[BaseBlock], bots: int) -> list[Group]:
    return [
        tuple(sorted((place + shift) % bots for place in base.group))
        for base in bases
        for shift in range(bots)
    ]


def _spread(chosen: Sequence[Group], bots: int) -> list[Group]:
    """Order the groups so that the bots with the longest wait play first."""
    left = list(chosen)
    last_played = [0] * bots
    ordered: list[Group] = []
    while left:
        group = min(left, key=lambda p: sorted((last_played[bot] for bot in p), reverse=True))
        left.remove(group)
        ordered.append(group)
        for bot in group:
            last_played[bot] = len(ordered)
    return ordered
