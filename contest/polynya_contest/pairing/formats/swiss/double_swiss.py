"""The FIDE Double-Swiss system in force since 1 February 2026 (FIDE Handbook C.04.5).

In each round two play a match of two games, one in each seat, and each game counts. The bye is
given first; then the top scoregroup is paired, filled up with upfloaters, and then the next. No
colour is ever due here, because the two games are one block.
"""

from __future__ import annotations

from collections.abc import Sequence

from polynya_contest.pairing.formats.swiss.field import (
    Edge,
    NoPairingError,
    PairedRound,
    Player,
    best_matching,
    may_meet,
    ranked,
)


def pair(players: Sequence[Player], *, last_round: bool = False) -> PairedRound:
    """The pairing of a round; in the last one [C7] and [C8] do not apply (2.3.4, 2.3.5).

    Raises:
        NoPairingError: no legal pairing exists.
    """
    left = ranked(players)
    bye = _bye(left) if len(left) % 2 else None
    left = [player for player in left if player is not bye]
    pairs: list[tuple[int, int]] = []
    while left:
        bracket = _bracket(left, last_round=last_round)
        pairs += _pairs(bracket, last_round=last_round)
        taken = {player.number for player in bracket}
        left = [player for player in left if player.number not in taken]
    return PairedRound(tuple(pairs), bye.number if bye else None)


def _edges(players: Sequence[Player]) -> list[Edge]:
    return [
        (one, other)
        for other, player in enumerate(players)
        for one in range(other)
        if may_meet(players[one], player)
    ]


def _bye(order: Sequence[Player]) -> Player:
    """Of those whose bye leaves a legal pairing: lowest score, most matches, last number (3.4)."""
    candidates = sorted(
        (player for player in order if player.bye),
        key=lambda player: (-player.score, player.matches, player.number),
    )
    weights = dict.fromkeys(_edges(order), 0)
    weights |= {(order.index(player), len(order)): place for place, player in enumerate(candidates)}
    found = best_matching(len(order) + 1, weights)
    if found is None:
        raise NoPairingError
    return order[found[len(order)]]


def _bracket(left: Sequence[Player], *, last_round: bool) -> list[Player]:
    """The top scoregroup with its upfloaters (3.5), by [C4] to [C7] and then by rank."""
    top = sum(player.score == left[0].score for player in left)
    scores = sorted({player.score for player in left[top:]})
    width = len(left).bit_length()

    def weight(one: int, other: int) -> int:
        if other < top:  # [C4]: as many pairs within as possible
            return 1 << width * (len(scores) + 2) + len(left)
        value = 0
        if one >= top:  # [C6]: so, too, in the following scoregroup
            value = int(left[other].score == left[top].score) << width
            return value << len(left)
        for score in scores:  # [C5]: the lowest scores of upfloaters first
            value = value << width | (left[other].score != score)
        spared = last_round or not left[other].floated(1)
        value = value << 2 * width | spared  # [C7]
        return value << len(left) | 1 << (len(left) - 1 - other)  # 3.5.4

    found = best_matching(len(left), {edge: weight(*edge) for edge in _edges(left)})
    if found is None:
        raise NoPairingError
    upfloaters = sorted(found[one] for one in range(top) if found[one] >= top)
    return [*left[:top], *(left[other] for other in upfloaters)]


def _pairs(bracket: Sequence[Player], *, last_round: bool) -> list[tuple[int, int]]:
    """The pairing of a bracket with the first identifier (3.6), by [C8] first."""
    players = sorted(bracket, key=lambda player: player.number)
    top = max(player.score for player in players)
    count = len(players)

    def spared(one: int, other: int) -> bool:
        """Whether no opponent of an upfloater floated in the round before."""
        two = (players[one], players[other])
        return last_round or not any(
            resident.floated(1) for resident, opponent in (two, two[::-1]) if opponent.score < top
        )

    edges = _edges(players)
    firsts = {edge: int(spared(*edge)) << count | 1 << (count - 1 - edge[0]) for edge in edges}
    found = _sure(best_matching(count, firsts))
    upper = [one for one, other in sorted(found.items()) if one < other]
    width = count.bit_length()
    places = {one: width * (len(upper) - 1 - place) for place, one in enumerate(upper)}
    lasts = {
        (one, other): int(spared(one, other)) << width * len(upper) | (count - other) << places[one]
        for one, other in edges
        if one in places and other not in places
    }
    found = _sure(best_matching(count, lasts))
    return [_by_rank(players[one], players[found[one]]) for one in upper]


def _sure(found: dict[int, int] | None) -> dict[int, int]:
    if found is None:
        raise NoPairingError
    return found


def _by_rank(one: Player, other: Player) -> tuple[int, int]:
    higher, lower = ranked([one, other])
    return higher.number, lower.number
