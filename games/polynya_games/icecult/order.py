"""Who can be to move in which turn, given who has forfeited but not when."""

from __future__ import annotations

from functools import lru_cache

from polynya_games.icecult.turn import next_seat

_PERIOD = 12
"""The common multiple of the lengths of a round: with 2, 3 or 4 players left all comes again."""

_SETTLED = 4 * _PERIOD
"""Turns after which only the place within the period matters."""


def movers(players: int, forfeited: tuple[int, ...], number: int) -> frozenset[int]:
    """The seats that can be to move in turn ``number``, empty if no match comes there.

    Args:
        players: the number of seats.
        forfeited: the seats that have forfeited by then, in that order, at any time.
        number: the turn, from 1.
    """
    if number > _SETTLED:
        number = _SETTLED + (number - _SETTLED) % _PERIOD
    return _movers(players, forfeited, number)


@lru_cache(1 << 15)
def _movers(players: int, forfeited: tuple[int, ...], number: int) -> frozenset[int]:
    """As :func:`movers`, by going back to the turn, or the forfeit, before."""
    if number == 1 and not forfeited:
        return frozenset({0})
    found = set()
    if number > 1:
        for seat in _movers(players, forfeited, number - 1):
            found.add(next_seat(players, forfeited, seat))
    if forfeited:
        last = forfeited[-1]
        found |= _movers(players, forfeited[:-1], number) - {last}
        if number > 1 and last in _movers(players, forfeited[:-1], number - 1):
            found.add(next_seat(players, forfeited, last))
    return frozenset(found)
