"""State documents: written for bots and tools, and read back from any hand (rules, "State").

Of a document its form is checked, and what is cheap and certain: counts of muglus and tiles,
groups, the phase, and whose turn it is. No search proves that a match leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from polynya_games.arktia.board import KINDS, Board, board_of
from polynya_games.arktia.position import (
    MUGLUS,
    NEUTRAL_MUGLUS,
    NEUTRALS,
    OPENING_MUGLUS,
    Position,
    RulesConfig,
    can_act,
    is_spent,
    melts,
    muglus_in_opening,
    next_placement,
)
from polynya_games.arktia.refusals import REFUSALS
from polynya_games.arktia.stacks import (
    ALL,
    CELLS,
    CODES,
    COUNTS,
    OCCUPIED,
    SIZE,
    Muglu,
    Stack,
    choices,
    is_split,
    muglus,
    pack,
    reserve_of,
    shape,
    stack_at,
)
from polynya_games.cells import cells_of, centres, is_connected, read_rows, written
from polynya_games.errors import InvalidOption, InvalidState, describe
from polynya_games.reading import (
    read_booleans,
    read_choice,
    read_each,
    read_game,
    read_integer,
    read_integers,
    read_list,
    read_seat_or_none,
    read_seats,
)
from polynya_games.refusals import refusal

P = TypeVar("P", bound=Position)
KEYS = (
    "game",
    "players",
    "phase",
    "round",
    "to_move",
    "rows",
    "ice",
    "stacks",
    "reserve",
    "neutral_reserve",
    "taken",
    "melted",
    "points",
    "out",
    "forfeited",
    "round_limit",
    "owes",
)
PHASES = ("neutral", "opening", "main", "over")
MANY = 2 * CELLS
"""More than there are muglus and tiles together."""


def write_state(state: Position) -> dict[str, Any]:
    """All keys of the rules' document in their order, with lists and plain values only."""
    rules = state.rules
    board, seats = rules.board, range(rules.players)
    return {
        "game": "arktia",
        "players": rules.players,
        "phase": state.phase,
        "round": state.round,
        "to_move": state.to_move,
        "rows": written(board.rows),
        "ice": [state.ice >> cell & 1 for cell in range(board.cells)],
        "stacks": [
            [list(muglu) for muglu in stack_at(state.packed, cell)] for cell in range(board.cells)
        ],
        "reserve": [list(COUNTS[reserve]) for reserve in state.reserves],
        "neutral_reserve": [list(COUNTS[reserve]) for reserve in state.neutral_reserves],
        "taken": list(state.taken),
        "melted": list(state.melted),
        "points": list(state.points),
        "out": [bool(state.out >> seat & 1) for seat in seats],
        "forfeited": list(state.forfeited),
        "round_limit": rules.round_limit,
        "owes": state.owes,
    }


def read_state(data: object, make: Callable[..., P]) -> P:
    """The position that a document of the form of :func:`write_state` describes.

    Args:
        data: any value.
        make: makes the position of its values.

    Raises:
        InvalidState: the document has another form, or contradicts itself.
    """
    document = read_game(data, "arktia", KEYS)
    rules = _rules(document)
    state = _state(document, rules, make)
    if state.points != read_integers(document["points"], "points", 0, MANY, rules.players):
        raise InvalidState(f"points is {list(state.points)} in this position")
    _check_position(state)
    return state


def _rules(document: dict[str, Any]) -> RulesConfig:
    """The constants of the match; one neutral muglu at least is on the board or in a reserve."""
    players = read_integer(document["players"], "players", min(NEUTRALS), max(NEUTRALS))
    limit = document["round_limit"]
    if type(limit) is not int or limit < 1:
        raise InvalidState(f"round_limit is an integer from 1, not {describe(limit)}")
    neutrals = len(NEUTRALS[players]) > 1 and _has_neutrals(document, players)
    if len(NEUTRALS[players]) == 1:
        neutrals = NEUTRALS[players][0]
    try:
        board = board_from(document["rows"], muglus_in_opening(players, neutrals))
    except InvalidOption as error:
        raise InvalidState(str(error), error.code, error.fields) from error
    return RulesConfig(players, neutrals, board, limit)


def _has_neutrals(document: dict[str, Any], players: int) -> bool:
    """Whether neutral muglus take part: they are never all gone."""
    reserves = read_each(document["neutral_reserve"], "neutral_reserve", read_list)
    stacks = read_each(document["stacks"], "stacks", read_list)
    standing = [muglu for stack in stacks for muglu in stack]
    return any(count != 0 for held in reserves for count in held) or any(
        isinstance(muglu, (list, tuple)) and muglu and muglu[0] == players for muglu in standing
    )


def _state(document: dict[str, Any], rules: RulesConfig, make: Callable[..., P]) -> P:
    """The document's values in the form of a state, each in its own range."""
    players, cells = rules.players, rules.board.cells
    stacks = read_each(document["stacks"], "stacks", _stack_of(rules), cells)
    return make(
        rules=rules,
        packed=pack(stacks),
        ice=_mask(read_integers(document["ice"], "ice", 0, 1, cells)),
        reserves=_reserves(document, "reserve", players, 3),
        neutral_reserves=_reserves(document, "neutral_reserve", players, int(rules.neutrals)),
        taken=read_integers(document["taken"], "taken", 0, MANY, players),
        melted=read_integers(document["melted"], "melted", 0, MANY, players),
        out=_mask(read_booleans(document["out"], "out", players)),
        forfeited=read_seats(document["forfeited"], "forfeited", players),
        phase=read_choice(document["phase"], "phase", PHASES),
        round=read_integer(document["round"], "round", 0, rules.round_limit),
        to_move=read_seat_or_none(document["to_move"], "to_move", players),
        owes=read_choice(document["owes"], "owes", (None, "keep", "melt")),
    )


def _reserves(document: dict[str, Any], key: str, players: int, most: int) -> tuple[int, ...]:
    def read(value: object, path: str) -> int:
        return reserve_of(read_integers(value, path, 0, most, len(KINDS)))

    return read_each(document[key], key, read, players)


def _stack_of(rules: RulesConfig) -> Callable[[object, str], Stack]:
    """How to read one cell's stack of the colours in play."""

    def read_muglu(value: object, path: str) -> Muglu:
        colour, kind = read_list(value, path, 2)
        number = read_integer(colour, f"{path}[0]", 0, rules.colours[-1])
        return number, read_choice(kind, f"{path}[1]", tuple(KINDS))

    def read_stack(value: object, path: str) -> Stack:
        stack = read_each(value, path, read_muglu)
        if stack not in CODES:
            raise InvalidState(f"{path}: a stack {describe(shape(stack))} does not exist")
        return stack

    return read_stack


def _mask(values: Sequence[int]) -> int:
    return sum(1 << index for index, value in enumerate(values) if value)


def board_from(value: object, least: int) -> Board:
    """The board of rows as a host or a peer wrote them.

    Args:
        value: any value.
        least: how many muglus are placed before the main phase, each on a tile of its own.

    Raises:
        InvalidOption: it is no list of rows, the tiles are too few or too many or not connected;
            the message says which.
    """
    rows = read_rows(value, CELLS)
    cells = centres(rows)
    if len(cells) < least:
        raise refusal(InvalidOption, REFUSALS, "few_tiles", count=len(cells), least=least)
    if not is_connected(cells):
        raise refusal(InvalidOption, REFUSALS, "rows_apart")
    return board_of(rows)


def _check_position(state: Position) -> None:
    """Refuse a position that contradicts itself."""
    checks = (_check_ice, _check_muglus, _check_seats, _check_end, _check_groups, _check_turn)
    for check in (*checks, _check_placing):
        check(state)


def _refuse_if(wrong: object, sentence: str) -> None:
    """Refuse the position with this sentence if something is wrong."""
    if wrong:
        raise InvalidState(sentence)


def _check_ice(state: Position) -> None:
    board = state.rules.board
    gone = board.everything & ~state.ice
    edge = sum(1 << cell for cell in cells_of(gone) if board.neighbours[cell].bit_count() < 6)
    _refuse_if(state.packed >> OCCUPIED & gone & ALL, "a muglu lies on a tile that has melted")
    _refuse_if(gone.bit_count() != sum(state.melted), "melted does not add up to the tiles gone")
    _refuse_if(len(board.groups(state.ice)) != 1, "the ice that is left is not connected")
    _refuse_if(
        any(not group & edge for group in board.groups(gone)),
        "tiles have melted in the middle that no melting from the edge can reach",
    )
    for seat, melted in enumerate(state.melted):
        _refuse_if(melted and state.reserves[seat], f"seat {seat} melted before placing all muglus")


def _check_muglus(state: Position) -> None:
    players = range(state.players)
    placed = _placed(state)
    present = [muglus(state.packed, colour) for colour in state.rules.colours]
    _check_kinds(state)
    for colour, count in enumerate(placed):
        _refuse_if(count and not present[colour], f"no muglu of colour {colour} is left at all")
    removed = [count - left for count, left in zip(placed, present, strict=True)]
    total = sum(removed)
    _refuse_if(total != sum(state.taken), f"{total} muglus are missing, {sum(state.taken)} taken")
    for seat in players:
        foreign = total - removed[seat]
        _refuse_if(
            state.taken[seat] > foreign,
            f"seat {seat} cannot have taken that number of muglus of others",
        )


def _placed(state: Position) -> list[int]:
    """By colour: how many muglus have come out of the reserves."""
    placed = [MUGLUS - SIZE[reserve] for reserve in state.reserves]
    if state.rules.neutrals:
        held = sum(SIZE[reserve] for reserve in state.neutral_reserves)
        placed.append(NEUTRAL_MUGLUS * state.players - held)
    return placed


def _check_kinds(state: Position) -> None:
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
            _refuse_if(count > most, f"colour {colour} has {count} {kind}, more than {most}")


def _check_seats(state: Position) -> None:
    over = state.phase == "over"
    _refuse_if(over != (state.to_move is None), "to_move is null exactly when the phase is over")
    for seat in state.forfeited:
        _refuse_if(not state.out >> seat & 1, f"seat {seat} has forfeited, so it is out")
    if state.to_move is not None:
        _refuse_if(state.out >> state.to_move & 1, f"seat {state.to_move} is to move, but out")
    if state.phase in ("neutral", "opening"):
        gone = state.out.bit_count() != len(state.forfeited)
        _refuse_if(gone, "before the main phase only who has forfeited is out")


def _check_end(state: Position) -> None:
    """Whether the match is over when it should be."""
    stayed = state.players - len(state.forfeited)
    _refuse_if(stayed == 0, "the last player cannot forfeit: the match is over before")
    limit = state.round == state.rules.round_limit
    if state.phase != "over":
        _refuse_if(stayed == 1, "only one player has not forfeited, so the match is over")
        _refuse_if(state.out == state.rules.everyone, "all are out, so the match is over")
    elif stayed > 1:
        _refuse_if(
            state.out != state.rules.everyone and not limit,
            "the match is not over: not all are out, and the round limit is not reached",
        )
        _refuse_if(state.round == 0, "before the main phase a match ends by forfeits only")


def _check_groups(state: Position) -> None:
    """A colour is split only while a choice of its groups is owed."""
    board, packed, seat = state.rules.board, state.packed, state.to_move
    split = [colour for colour in state.rules.colours if is_split(board, packed, colour)]
    if state.owes != "keep":
        for colour in split:
            raise InvalidState(f"colour {colour} has more than one group, but no keep is owed")
        return
    _refuse_if(seat in split, "the player to move has split its own colour")
    _refuse_if(not split, "a keep is owed, but no colour has more than one group")
    tied = len(choices(board, packed, split[0])) > 1
    _refuse_if(not tied, f"colour {split[0]} has one largest group, so no keep is owed for it")
    together = packed >> CELLS * (seat or 0) & ALL
    for colour in split:
        together &= packed >> CELLS * colour
    _refuse_if(not together, "no stack can have been moved that split these colours")


def _check_turn(state: Position) -> None:
    """The steps that are still due, and that the player to move is not out by the rules."""
    _refuse_if(state.owes and state.phase != "main", "something is owed in the main phase only")
    seat = state.to_move
    if state.phase != "main" or seat is None:
        return
    reserve = state.reserves[seat]
    _refuse_if(is_spent(state.packed, reserve, seat), f"seat {seat} has one muglu left: it is out")
    if state.owes is None:
        can = can_act(state.rules.board, state.packed, state.ice, reserve, seat)
        _refuse_if(not can, f"seat {seat} can neither place nor move: it is out")
    elif state.owes == "melt":
        _refuse_if(reserve, f"seat {seat} has muglus in reserve: no melt is owed")
        _refuse_if(not melts(state), "a melt is owed, but no tile can be melted")


def _check_placing(state: Position) -> None:
    if state.round:
        _refuse_if(state.phase in ("neutral", "opening"), "round is 0 before the main phase")
        _check_all_opened(state)
    else:
        _refuse_if(state.phase == "main", "round is 1 or more in the main phase")
        _check_opening(state)


def _check_all_opened(state: Position) -> None:
    for seat in set(range(state.players)) - set(state.forfeited):
        unplaced = SIZE[state.reserves[seat]] == MUGLUS
        _refuse_if(unplaced, f"seat {seat} has not placed in the opening")
        _refuse_if(SIZE[state.neutral_reserves[seat]], f"seat {seat} has neutral muglus left")


def _check_opening(state: Position) -> None:
    """Nothing but placing has happened, and the position itself says whose turn comes next."""
    _refuse_if(any(state.taken) or any(state.melted), "nothing is taken before the main phase")
    stacks = [stack_at(state.packed, cell) for cell in range(state.rules.board.cells)]
    _refuse_if(any(len(stack) > 1 for stack in stacks), "there are no towers before the main phase")
    for seat, reserve in enumerate(state.reserves):
        placed = MUGLUS - SIZE[reserve]
        _refuse_if(placed > OPENING_MUGLUS, f"seat {seat} has placed {placed} in the opening")
        begun = placed and SIZE[state.neutral_reserves[seat]]
        _refuse_if(begun, f"seat {seat} has neutral muglus left, but has placed its own")
    if state.to_move is not None:
        following = next_placement(
            state.rules, state.packed, state.reserves, state.neutral_reserves, state.out
        )
        wrong = following != (state.phase, state.to_move)
        _refuse_if(wrong, f"seat {state.to_move} does not place next in this phase")
