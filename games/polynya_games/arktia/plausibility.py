"""Whether a match can come to a position: what the rules imply for every position of a match."""

from __future__ import annotations

from polynya_games.arktia.legal_steps import can_act, melts
from polynya_games.arktia.muglus import COUNTS, KINDS, SIZE
from polynya_games.arktia.packing import ALL, CELLS, OCCUPIED, choices, is_split, muglus, stack_at
from polynya_games.arktia.plausible_history import check_history, refuse_if
from polynya_games.arktia.rules_config import MUGLUS, NEUTRAL_MUGLUS
from polynya_games.arktia.state import ArktiaState
from polynya_games.arktia.turn_order import is_spent
from polynya_games.bitsets import cells_of
from polynya_games.errors import InvalidState


def check_position(state: ArktiaState) -> None:
    """Refuse a position that no match comes to.

    The checks are necessary conditions, from the material to the order of turns; every position
    of a match passes them.

    Raises:
        InvalidState: a rule excludes the position; the message says which.
    """
    for check in (_check_ice, _check_muglus, _check_seats, _check_end, _check_groups, _check_turn):
        check(state)
    check_history(state)


def _check_ice(state: ArktiaState) -> None:
    board = state.rules.board
    gone = board.everything & ~state.ice
    edge = sum(1 << cell for cell in cells_of(gone) if board.neighbours[cell].bit_count() < 6)
    refuse_if(state.packed >> OCCUPIED & gone & ALL, "a muglu lies on a tile that has melted")
    refuse_if(gone.bit_count() != sum(state.melted), "melted does not add up to the tiles gone")
    refuse_if(len(board.groups(state.ice)) != 1, "the ice that is left is not connected")
    refuse_if(
        any(not group & edge for group in board.groups(gone)),
        "tiles have melted in the middle that no melting from the edge can reach",
    )
    for seat, melted in enumerate(state.melted):
        refuse_if(melted and state.reserves[seat], f"seat {seat} melted before placing all muglus")


def _check_muglus(state: ArktiaState) -> None:
    players = range(state.players)
    placed = _placed(state)
    present = [muglus(state.packed, colour) for colour in state.rules.colours]
    _check_kinds(state)
    for colour, count in enumerate(placed):
        refuse_if(count and not present[colour], f"no muglu of colour {colour} is left at all")
    removed = [count - left for count, left in zip(placed, present, strict=True)]
    total = sum(removed)
    refuse_if(total != sum(state.taken), f"{total} muglus are missing, {sum(state.taken)} taken")
    for seat in players:
        foreign = total - removed[seat]
        refuse_if(
            state.taken[seat] > foreign,
            f"seat {seat} cannot have taken that number of muglus of others",
        )


def _placed(state: ArktiaState) -> list[int]:
    """By colour: how many muglus have come out of the reserves."""
    placed = [MUGLUS - SIZE[reserve] for reserve in state.reserves]
    if state.rules.neutrals:
        held = sum(SIZE[reserve] for reserve in state.neutral_reserves)
        placed.append(NEUTRAL_MUGLUS * state.players - held)
    return placed


def _check_kinds(state: ArktiaState) -> None:
    """No colour has more muglus of a kind than it began with."""
    stacks = [stack_at(state.packed, cell) for cell in range(state.rules.board.cells)]
    standing = [muglu for stack in stacks for muglu in stack]
    for colour in state.rules.colours:
        neutral = colour == state.players
        reserves = state.neutral_reserves if neutral else (state.reserves[colour],)
        most = state.players if neutral else 3
        for index, kind in enumerate(KINDS):
            held = sum(COUNTS[reserve][index] for reserve in reserves)
            count = held + standing.count((colour, kind))
            refuse_if(count > most, f"colour {colour} has {count} {kind}, more than {most}")


def _check_seats(state: ArktiaState) -> None:
    over = state.phase == "over"
    refuse_if(over != (state.to_move is None), "to_move is null exactly when the phase is over")
    for seat in state.forfeited:
        refuse_if(not state.out >> seat & 1, f"seat {seat} has forfeited, so it is out")
    if state.to_move is not None:
        refuse_if(state.out >> state.to_move & 1, f"seat {state.to_move} is to move, but out")
    if state.phase in ("neutral", "opening"):
        gone = state.out.bit_count() != len(state.forfeited)
        refuse_if(gone, "before the main phase only who has forfeited is out")


def _check_end(state: ArktiaState) -> None:
    """Whether the match is over when it should be."""
    stayed = state.players - len(state.forfeited)
    refuse_if(stayed == 0, "the last player cannot forfeit: the match is over before")
    limit = state.round == state.rules.round_limit
    if state.phase != "over":
        refuse_if(stayed == 1, "only one player has not forfeited, so the match is over")
        refuse_if(state.out == state.rules.everyone, "all are out, so the match is over")
    elif stayed > 1:
        refuse_if(
            state.out != state.rules.everyone and not limit,
            "the match is not over: not all are out, and the round limit is not reached",
        )
        refuse_if(state.round == 0, "before the main phase a match ends by forfeits only")


def _check_groups(state: ArktiaState) -> None:
    """A colour is split only while a choice of its groups is owed."""
    board, packed, seat = state.rules.board, state.packed, state.to_move
    split = [colour for colour in state.rules.colours if is_split(board, packed, colour)]
    if state.owes != "keep":
        for colour in split:
            raise InvalidState(f"colour {colour} has more than one group, but no keep is owed")
        return
    refuse_if(seat in split, "the player to move has split its own colour")
    refuse_if(not split, "a keep is owed, but no colour has more than one group")
    tied = len(choices(board, packed, split[0])) > 1
    refuse_if(not tied, f"colour {split[0]} has one largest group, so no keep is owed for it")
    together = packed >> CELLS * (seat or 0) & ALL
    for colour in split:
        together &= packed >> CELLS * colour
    refuse_if(not together, "no stack can have been moved that split these colours")


def _check_turn(state: ArktiaState) -> None:
    """The steps that are still due, and that the player to move is not out by the rules."""
    refuse_if(state.owes and state.phase != "main", "something is owed in the main phase only")
    seat = state.to_move
    if state.phase != "main" or seat is None:
        return
    reserve = state.reserves[seat]
    refuse_if(is_spent(state.packed, reserve, seat), f"seat {seat} has one muglu left: it is out")
    if state.owes is None:
        can = can_act(state.rules.board, state.packed, state.ice, reserve, seat)
        refuse_if(not can, f"seat {seat} can neither place nor move: it is out")
    elif state.owes == "melt":
        refuse_if(reserve, f"seat {seat} has muglus in reserve: no melt is owed")
        refuse_if(not melts(state), "a melt is owed, but no tile can be melted")
