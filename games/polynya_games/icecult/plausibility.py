"""Whether a match can come to a position: what the rules imply for every position of a match.

Nothing that can arise is refused. Whether the turns before this one can have brought the pawns to
where they stand is not asked: so a position can be composed for a test or a puzzle.
"""

from __future__ import annotations

from functools import lru_cache

from polynya_games.errors import InvalidState
from polynya_games.icecult import turn_order
from polynya_games.icecult.legal_steps import arcs, arrows
from polynya_games.icecult.paths import towers, unpack
from polynya_games.icecult.rules_config import PAWNS
from polynya_games.icecult.state import IceCultState
from polynya_games.icecult.turn_order import Turn, next_seat

_PERIOD = 12
"""The common multiple of the lengths of a round: with 2, 3 or 4 players left all comes again."""

_SETTLED = 4 * _PERIOD
"""Turns after which only the place within the period matters."""


def check_position(state: IceCultState) -> None:
    """Refuse a position that cannot be.

    Args:
        state: as read from a document: each part of it is of the right form, its phase fits the
            tips and the seat to move, and in the phase ``act`` its circles fit the cubes and uses.

    Raises:
        InvalidState: a sentence says which rule the position contradicts.
    """
    _check_pawns(state)
    _check_symbols(state)
    if state.turn.seat is None:
        _check_end(state)
    else:
        _check_running(state, state.turn.seat)


def _check_pawns(state: IceCultState) -> None:
    for colour, (start, goal) in enumerate(
        zip(unpack(state.start), unpack(state.goal), strict=True)
    ):
        pawns = start + goal + sum(path.count(str(colour)) for path in state.paths)
        if pawns != PAWNS:
            raise InvalidState(f"colour {colour} has {PAWNS} pawns, not {pawns}")


def _check_symbols(state: IceCultState) -> None:
    """The uses of arrows, circles and arcs in this turn."""
    if state.phase != "act":
        if state.uses or state.arcs_left:
            raise InvalidState("uses is [0, 0, 0, 0] and arcs_left 0 except in the phase act")
        return
    shown = [arrow.position for arrow in arrows(state.cubes)]
    for position, uses in enumerate(unpack(state.uses)):
        if uses and position not in shown:
            raise InvalidState(f"uses[{position}] is 0: no arrow is on top there")
    if state.circles_left < 0:
        raise InvalidState("uses has more additional uses than there are circles on top")
    if state.arcs_left > (there := arcs(state.cubes)):
        raise InvalidState(f"arcs_left is at most {there}: there are no more arcs on top")
    _check_uses(state)


def _check_uses(state: IceCultState) -> None:
    """Each use of an arrow in this turn has taken a pawn of its colour one field outward."""
    fields = turn_order.progress(state.paths, unpack(state.goal))
    uses = unpack(state.uses)
    for colour, most in enumerate(fields):
        used = sum(uses[arrow.position] for arrow in arrows(state.cubes) if arrow.colour == colour)
        if used > most:
            raise InvalidState(
                f"uses counts {used} for arrows of colour {colour}, "
                f"whose pawns have advanced {most} fields in all"
            )


def _check_running(state: IceCultState, seat: int) -> None:
    turn = state.turn
    if turn.winners:
        raise InvalidState("winners is empty while the match goes on")
    if len(turn.forfeited) >= turn.players - 1:
        raise InvalidState("only one player has not forfeited, so the match is over")
    if won := _fulfilling(state):
        raise InvalidState(f"seat {won[0]} has a tower or all pawns in the goal: the match is over")
    if seat not in movers(turn.players, turn.forfeited, turn.number):
        raise InvalidState(f"seat {seat} cannot be to move in turn {turn.number}")


def _check_end(state: IceCultState) -> None:
    turn = state.turn
    if turn.tips:
        raise InvalidState("tips is empty when the match is over")
    if len(turn.forfeited) == turn.players:
        raise InvalidState("the last player who has not forfeited cannot forfeit")
    there = _fulfilling(state)
    if len(turn.forfeited) == turn.players - 1:
        possible = not there and not turn.winners and _came_to_forfeit(turn)
    elif there:
        possible = turn.winners in _possible_winners(turn, there)
    else:
        possible = not turn.winners and turn.number == turn.limit and _came_to_limit(turn)
    if not possible:
        raise InvalidState("the match is over, but cannot have ended in this turn in this way")


def _possible_winners(turn: Turn, there: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The seats that can have won, given those that have a tower or all pawns in the goal."""
    asked = movers(turn.players, turn.forfeited, turn.number)
    return {(seat,) if seat in there else there for seat in asked}


def _came_to_forfeit(turn: Turn) -> bool:
    """Whether the match can have come to this turn before the last forfeit."""
    return bool(movers(turn.players, turn.forfeited[:-1], turn.number))


def _came_to_limit(turn: Turn) -> bool:
    """Whether a seat can have made the last turn, or have forfeited in it."""
    asked = movers(turn.players, turn.forfeited, turn.number)
    before = movers(turn.players, turn.forfeited[:-1], turn.number)
    return bool(asked) or turn.forfeited[-1] in before


def _fulfilling(state: IceCultState) -> tuple[int, ...]:
    """The seats that have a tower or all pawns in the goal and have not forfeited."""
    shown = 0
    for path in state.paths:
        for stack in path.split("/"):
            shown |= towers(stack)
    return turn_order.fulfilling(state.turn, shown, state.goal)


def movers(players: int, forfeited: tuple[int, ...], number: int) -> frozenset[int]:
    """The seats that can be to move in turn ``number``, empty if no match comes there.

    Args:
        players: the number of seats.
        forfeited: the seats that have forfeited before it, in that order, at any time.
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
