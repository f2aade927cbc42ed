"""The FIDE Dutch system in force since 1 February 2026 (FIDE Handbook C.04.3), without colours.

A meeting here is made of blocks, in which each of the two has each seat, so no colour is ever due:
[C3] and [C10] to [C13] have nothing to say. The other criteria are fields of the weights of edges,
and a bracket is the best matching of all who are not paired yet; among candidates that are equally
good the first that 3.6 to 4.4 generate is found by further fields, one stage after another.
"""

from __future__ import annotations

from collections.abc import Sequence

from polynya_contest.pairing.formats.swiss.field import (
    NoPairingError,
    PairedRound,
    Player,
    may_meet,
    ranked,
)
from polynya_contest.pairing.formats.swiss.matching import best_matching
from polynya_contest.pairing.formats.swiss.score_bracket import ScoreBracket


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
