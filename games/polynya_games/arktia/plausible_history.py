"""Whether the counts of a position fit some order of placing turns and moves.

A slot is one seat's turn to place before the main phase: with ``n`` players the slot of seat ``s``
in the placing round ``r`` (from 0, the neutral rounds first) is number ``r * n + s``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from polynya_games.arktia.muglus import SIZE
from polynya_games.arktia.packing import ALL, CELLS, OCCUPIED, stack_at
from polynya_games.arktia.rules_config import MUGLUS, NEUTRAL_MUGLUS
from polynya_games.arktia.rules_config import OPENING_MUGLUS as OPENING_ROUNDS
from polynya_games.arktia.state import ArktiaState
from polynya_games.arktia.turn_order import can_extend
from polynya_games.bitsets import cells_of
from polynya_games.errors import InvalidState


def check_history(state: ArktiaState) -> None:
    """Refuse a position whose counts no order of turns gives.

    Raises:
        InvalidState: none does; the message says where it fails.
    """
    if state.round == 0:
        _check_before_main(state)
        _check_slots(state)
        _check_opening(state)
    else:
        refuse_if(state.phase in ("neutral", "opening"), "round is 0 before the main phase")
        _check_all_opened(state)
        _check_turns(state)
    _check_forfeits(state)


def refuse_if(wrong: object, sentence: str) -> None:
    """Refuse the position with this sentence if something is wrong."""
    if wrong:
        raise InvalidState(sentence)


def _stayed(state: ArktiaState) -> list[int]:
    return [seat for seat in range(state.players) if seat not in state.forfeited]


def _slots(state: ArktiaState, seat: int) -> int:
    """How many slots the seat has used: neutral muglus and the first two of its own."""
    used = min(MUGLUS - SIZE[state.reserves[seat]], OPENING_ROUNDS)
    if state.rules.neutrals:
        used += NEUTRAL_MUGLUS - SIZE[state.neutral_reserves[seat]]
    return used


def _all_slots(state: ArktiaState) -> int:
    return OPENING_ROUNDS + (NEUTRAL_MUGLUS if state.rules.neutrals else 0)


def _check_before_main(state: ArktiaState) -> None:
    """Nothing but placing has happened."""
    refuse_if(state.phase == "main", "round is 1 or more in the main phase")
    refuse_if(any(state.taken) or any(state.melted), "nothing is taken before the main phase")
    refuse_if(_towers(state), "there are no towers before the main phase")
    for seat in range(state.players):
        placed = MUGLUS - SIZE[state.reserves[seat]]
        refuse_if(placed > OPENING_ROUNDS, f"seat {seat} has placed {placed} in the opening")
        begun = placed and SIZE[state.neutral_reserves[seat]]
        refuse_if(begun, f"seat {seat} has neutral muglus left, but has placed its own")


def _towers(state: ArktiaState) -> bool:
    cells = cells_of(state.packed >> OCCUPIED & ALL)
    return any(len(stack_at(state.packed, cell)) > 1 for cell in cells)


def _check_slots(state: ArktiaState) -> None:
    """Each seat that has not forfeited has used its slots up to now, but for skips."""
    seat = state.to_move
    if seat is None:
        return
    used, last = _slots(state, seat), _all_slots(state) - 1
    neutral = SIZE[state.neutral_reserves[seat]] > 0
    refuse_if(used > last, f"seat {seat} has nothing to place in the phase {state.phase}")
    refuse_if(neutral != (state.phase == "neutral"), f"seat {seat} places in another phase")
    cannot = used == last and not can_extend(state.rules, state.packed, seat)
    refuse_if(cannot, f"seat {seat} cannot place, so it is skipped")
    for other in _stayed(state):
        due = used + (other < seat)
        skipped = due > last and _slots(state, other) == last
        wrong = _slots(state, other) != due and not skipped
        refuse_if(wrong, f"seat {other} has not placed as often as its turn has come")


def _check_opening(state: ArktiaState) -> None:
    """Some choice of each seat's first muglu gives a legal order of placing."""
    packed = state.packed
    own = [packed >> CELLS * seat & ALL for seat in range(state.players)]
    choices = [[1 << cell for cell in cells_of(mask)] or [0] for mask in own]
    possible = any(_is_order(state, own, firsts) for firsts in itertools.product(*choices))
    refuse_if(not possible, "in no order can these muglus have been placed in the opening")


def _is_order(state: ArktiaState, own: list[int], firsts: tuple[int, ...]) -> bool:
    """Whether these first muglus, then the second ones, can have been placed seat by seat."""
    board = state.rules.board
    standing = state.packed >> CELLS * state.players & ALL if state.rules.neutrals else 0
    for first in firsts:
        if first and standing and not board.spread(standing) & first:
            return False
        standing |= first
    last = _all_slots(state) - 1
    for seat in _skippable(state):
        room = board.spread(firsts[seat]) & ~_standing_at(standing, own, seat)
        if _slots(state, seat) == last and room:
            return False
    return True


def _standing_at(firsts: int, own: list[int], seat: int) -> int:
    """The muglus that stand when it is the seat's turn in the second round."""
    for mask in own[:seat]:
        firsts |= mask
    return firsts


def _skippable(state: ArktiaState) -> Iterator[int]:
    """The seats whose slot in the second round has passed."""
    seat = state.to_move
    if seat is not None and _slots(state, seat) == _all_slots(state) - 1:
        yield from (other for other in _stayed(state) if other < seat)


def _check_all_opened(state: ArktiaState) -> None:
    for seat in _stayed(state):
        least = _all_slots(state) - 1
        refuse_if(_slots(state, seat) < least, f"seat {seat} has not placed in the opening")
        refuse_if(SIZE[state.neutral_reserves[seat]], f"seat {seat} has neutral muglus left")


def _check_turns(state: ArktiaState) -> None:
    """No seat has done more than its turns of the main phase allow."""
    moves = []
    for seat in range(state.players):
        turns = _turns(state, seat)
        placed = MUGLUS - SIZE[state.reserves[seat]]
        free = turns - max(0, placed - OPENING_ROUNDS)
        ending = free - (seat == state.to_move and state.owes is not None)
        refuse_if(free < 0, f"seat {seat} has placed more muglus than it had turns")
        refuse_if(state.melted[seat] > ending, f"seat {seat} has melted in more turns than it had")
        refuse_if(state.taken[seat] and not free, f"seat {seat} cannot have moved, but has taken")
        moves.append(free)
        retired = state.out >> seat & 1 and seat not in state.forfeited
        refuse_if(retired and not turns, f"seat {seat} is out before its turn has come")
    refuse_if(_towers(state) and not any(moves), "there are towers, but no player can have moved")


def _turns(state: ArktiaState, seat: int) -> int:
    """How many turns of the main phase the seat has had at most, one under way included."""
    if state.to_move is None:
        return state.round
    begun = seat < state.to_move or (seat == state.to_move and state.owes is not None)
    return state.round - 1 + begun


def _check_forfeits(state: ArktiaState) -> None:
    """The forfeits can have come in the order given: each before its seat's next slot."""
    players, last = state.players, _all_slots(state) - 1
    now = _now(state)
    time = 0
    for seat in state.forfeited:
        used = _slots(state, seat)
        skipped = used == last and (state.round or not can_extend(state.rules, state.packed, seat))
        until = math.inf if used > last or skipped else used * players + seat
        time = max(time, (used - 1) * players + seat + 1)
        refuse_if(time > min(until, now), f"seat {seat} cannot have forfeited at that time")


def _now(state: ArktiaState) -> float:
    """The slot that is next, or the last that can be where the match is over."""
    if state.round:
        return math.inf
    seat = _stayed(state)[0] if state.to_move is None else state.to_move
    if state.to_move is None and _slots(state, seat) >= _all_slots(state) - 1:
        return math.inf
    return _slots(state, seat) * state.players + seat
