"""Ranks from results: ties share a rank, forfeiters stand below everyone else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def ranking(results: Sequence[Any], forfeited: Sequence[int] = ()) -> tuple[int, ...]:
    """One rank per seat, 1 the best (rules, "Ranking" and "Forfeit").

    Equal results share a rank and the next is skipped: ``ranking([7, 7, 3]) == (1, 1, 3)``.
    Seats in ``forfeited`` rank below all others with any result, and among themselves the seat
    that forfeited later ranks higher.

    Args:
        results: one comparable value per seat, greater is better: a number, or a tuple such as
            ``(fish, floes)`` where a second number breaks ties.
        forfeited: the seats that forfeited, in that order.
    """
    stayed = [seat for seat in range(len(results)) if seat not in forfeited]
    ranks = dict.fromkeys(range(len(results)), 0)
    for seat in stayed:
        ranks[seat] = 1 + sum(results[other] > results[seat] for other in stayed)
    for distance, seat in enumerate(reversed(forfeited)):
        ranks[seat] = 1 + len(stayed) + distance
    return tuple(ranks.values())


def joint_ranking(results: Sequence[Any], forfeited: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """One rank per seat in a game with joint turns, in which seats can leave together.

    As :func:`ranking`, but those that left in the same turn share a rank, and if all seats have
    forfeited all of them have rank 1.

    Args:
        results: one comparable value per seat, greater is better.
        forfeited: the groups of seats that left together, in that order.
    """
    left = {seat: turn for turn, group in enumerate(forfeited) for seat in group}
    players = range(len(results))
    if len(left) == len(results):
        return (1,) * len(results)
    stayed = [seat for seat in players if seat not in left]
    ranks = []
    for seat in players:
        if seat in left:
            later = sum(turn > left[seat] for turn in left.values())
            ranks.append(1 + len(stayed) + later)
        else:
            ranks.append(1 + sum(results[other] > results[seat] for other in stayed))
    return tuple(ranks)
