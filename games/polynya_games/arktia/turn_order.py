"""The order of turns: skips, rounds, and the seats that are out when their turn comes."""

from __future__ import annotations

from polynya_games.arktia.legal_steps import can_act
from polynya_games.arktia.muglus import SIZE
from polynya_games.arktia.packing import ALL, CELLS, OCCUPIED, muglus
from polynya_games.arktia.rules_config import MUGLUS, RulesConfig


def next_placement(
    rules: RulesConfig,
    packed: int,
    reserves: tuple[int, ...],
    neutral_reserves: tuple[int, ...],
    out: int,
) -> tuple[str, int] | None:
    """The phase before the main one and the seat that places next in it, None when both are done.

    The position alone tells: the seats that have not placed yet in a round have more left, and
    a seat that was skipped in the second round cannot place later in it either.
    """
    seats = [seat for seat in range(rules.players) if not out >> seat & 1]
    most = max(SIZE[neutral_reserves[seat]] for seat in seats)
    for seat in seats:
        if most and SIZE[neutral_reserves[seat]] == most:
            return "neutral", seat
    for seat in seats:
        if SIZE[reserves[seat]] == MUGLUS:
            return "opening", seat
    for seat in seats:
        if SIZE[reserves[seat]] == MUGLUS - 1 and can_extend(rules, packed, seat):
            return "opening", seat
    return None


def can_extend(rules: RulesConfig, packed: int, seat: int) -> bool:
    """Whether an empty tile lies next to a muglu of the seat's colour (no tile has melted)."""
    board = rules.board
    return bool(board.spread(packed >> CELLS * seat & ALL) & ~(packed >> OCCUPIED))


def next_turn(
    rules: RulesConfig,
    packed: int,
    ice: int,
    reserves: tuple[int, ...],
    out: int,
    seat: int,
    number: int,
) -> tuple[int | None, int, int]:
    """Pass the turn on in the main phase.

    Args:
        rules: the match.
        packed: the stacks.
        ice: the tiles that exist.
        reserves: one per seat.
        out: the mask of the seats that are out.
        seat: the seat whose turn is over, -1 when the main phase begins.
        number: the round of that turn.

    Returns:
        The seat to move (None: the match is over), the round, and the seats that are out.
    """
    board, players = rules.board, rules.players
    while True:
        seat += 1
        if seat == players:
            if number == rules.round_limit or out.bit_count() == players:
                return None, number, out
            seat, number = 0, number + 1
        if out >> seat & 1:
            continue
        reserve = reserves[seat]
        own = packed >> CELLS * seat & ALL
        if reserve and own & own - 1:  # the usual case: it has two tiles, and room to place
            room = board.joins(own) & ice
            if packed >> OCCUPIED & room != room:
                return seat, number, out
        if not is_spent(packed, reserve, seat) and can_act(board, packed, ice, reserve, seat):
            return seat, number, out
        out |= 1 << seat


def is_spent(packed: int, reserve: int, seat: int) -> bool:
    """Whether a seat has placed at least two muglus, and at most one of them is left."""
    own = packed >> CELLS * seat & ALL
    if own & (own - 1):
        return False
    return SIZE[reserve] <= MUGLUS - 2 and muglus(packed, seat) <= 1
