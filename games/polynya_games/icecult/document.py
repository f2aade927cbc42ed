"""State documents: written for bots and tools, and read back from any hand (rules, "State").

Of a document its form is checked, and what is cheap and certain: counts of pawns and symbols, the
phase, winners, and whose turn it is. No search proves that a match leads there, so a position can
be composed for a test or a puzzle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from polynya_games.errors import InvalidState, describe
from polynya_games.game import Step
from polynya_games.icecult.board import (
    ARC,
    FACINGS,
    FIELDS,
    MOST_TURNS,
    PATHS,
    PAWNS,
    SEATS,
    Cube,
    Face,
    cube_of,
    fits,
    pack,
    towers,
    unpack,
)
from polynya_games.icecult.position import (
    DIRECTIONS,
    SECOND_TIPS,
    Position,
    Turn,
    arcs,
    arrows,
    circles,
    fulfilling,
    progress,
)
from polynya_games.icecult.refusals import REFUSALS
from polynya_games.reading import (
    read_ascending,
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

_KEYS = (
    "game",
    "players",
    "phase",
    "turn",
    "to_move",
    "blocks",
    "paths",
    "start",
    "goal",
    "tips",
    "uses",
    "arcs_left",
    "winners",
    "forfeited",
    "turn_limit",
)

_NAMES = dict(zip(FACINGS, ("top", "bottom", "north", "east", "south", "west"), strict=True))


def write_state(state: Position) -> dict[str, Any]:
    """All keys of the rules' document in their order, with lists and plain values only."""
    turn = state.turn
    return {
        "game": "icecult",
        "players": turn.players,
        "phase": state.phase,
        "turn": turn.number,
        "to_move": turn.seat,
        "blocks": [[list(face) for face in cube.faces] for cube in state.cubes],
        "paths": {
            name: [[int(pawn) for pawn in stack] for stack in path.split("/")]
            for name, path in zip(PATHS, state.paths, strict=True)
        },
        "start": unpack(state.start),
        "goal": unpack(state.goal),
        "tips": [list(tip[1:]) for tip in turn.tips],
        "uses": unpack(state.uses),
        "arcs_left": state.arcs_left,
        "winners": list(turn.winners),
        "forfeited": list(turn.forfeited),
        "turn_limit": turn.limit,
    }


def read_state(data: object, make: Callable[..., P]) -> P:
    """The position that a document of the form of :func:`write_state` describes.

    Args:
        data: any value.
        make: makes the position of its values.

    Raises:
        InvalidState: the document has another form, or contradicts itself.
    """
    document = read_game(data, "icecult", _KEYS)
    turn = _read_turn(document)
    cubes = read_blocks(document["blocks"])
    uses = read_integers(document["uses"], "uses", 0, 4, 4)
    copies = sum(max(0, used - 1) for used in uses)
    state = make(
        turn=turn,
        cubes=cubes,
        paths=_read_paths(document["paths"]),
        start=pack(read_integers(document["start"], "start", 0, PAWNS, 4)),
        goal=pack(read_integers(document["goal"], "goal", 0, PAWNS, 4)),
        uses=pack(uses),
        circles_left=circles(cubes) - copies if len(turn.tips) == 2 else 0,
        arcs_left=read_integer(document["arcs_left"], "arcs_left", 0, 4),
    )
    phase = read_choice(document["phase"], "phase", ("tip", "act", "over"))
    if phase != state.phase:
        raise InvalidState(f"phase is {state.phase!r} with these tips and to_move, not {phase!r}")
    _check_position(state)
    return state


def _read_turn(document: dict[str, Any]) -> Turn:
    players = read_integer(document["players"], "players", min(SEATS), max(SEATS))
    limit = read_integer(document["turn_limit"], "turn_limit", 1, MOST_TURNS)
    return Turn(
        players=players,
        limit=limit,
        number=read_integer(document["turn"], "turn", 1, limit),
        seat=read_seat_or_none(document["to_move"], "to_move", players),
        forfeited=read_seats(document["forfeited"], "forfeited", players),
        tips=_read_tips(document["tips"]),
        winners=read_ascending(document["winners"], "winners", 0, players - 1),
    )


def _read_tips(value: object) -> tuple[Step, ...]:
    tips = read_each(value, "tips", _read_tip)
    if len(tips) > 2:
        raise InvalidState(f"tips has at most 2 elements, not {len(tips)}")
    if len(tips) == 2 and tips[1] not in SECOND_TIPS[tips[0]]:
        raise InvalidState("tips[1] undoes tips[0]")
    return tips


def _read_tip(value: object, path: str) -> Step:
    pair, direction = read_list(value, path, 2)
    pair = read_choice(pair, f"{path}[0]", tuple(PATHS))
    return ("tip", pair, read_choice(direction, f"{path}[1]", tuple(DIRECTIONS[pair])))


def _read_paths(value: object) -> tuple[str, ...]:
    if not isinstance(value, dict) or set(value) != set(PATHS):
        raise InvalidState("paths is an object with the keys N, E, S and W")
    return tuple(["/".join(_read_path(value[name], f"paths.{name}")) for name in PATHS])


def _read_path(value: object, path: str) -> tuple[str, ...]:
    return read_each(value, path, _read_stack, FIELDS)


def _read_stack(value: object, path: str) -> str:
    return "".join(map(str, read_integers(value, path, 0, 3)))


def read_blocks(value: object) -> tuple[Cube, ...]:
    """The cubes at the four positions.

    Raises:
        InvalidState: they are not of the form of ``blocks`` in a state.
    """
    return read_each(value, "blocks", _read_cube, 4)


def _read_cube(value: object, path: str) -> Cube:
    faces = read_each(value, path, _read_face, len(FACINGS))
    for index, (facing, face) in enumerate(zip(FACINGS, faces, strict=True)):
        if not fits(facing, face):
            within = ", ".join(way for way in FACINGS if fits(facing, (0, way)))
            raise refusal(
                InvalidState,
                REFUSALS,
                "impossible_face",
                key=f"{path}[{index}]",
                value=describe(face),
                face=_NAMES[facing],
                directions=within,
            )
    return cube_of(faces)


def _read_face(value: object, path: str) -> Face:
    symbol, direction = read_list(value, path, 2)
    return (
        read_integer(symbol, f"{path}[0]", 0, ARC),
        read_choice(direction, f"{path}[1]", (*FACINGS, None)),
    )


def _check_position(state: Position) -> None:
    """Refuse a position that contradicts itself."""
    _check_pawns(state)
    _check_symbols(state)
    if state.turn.seat is None:
        _check_end(state)
    else:
        _check_running(state, state.turn.seat)


def _check_pawns(state: Position) -> None:
    for colour, (start, goal) in enumerate(
        zip(unpack(state.start), unpack(state.goal), strict=True)
    ):
        pawns = start + goal + sum(path.count(str(colour)) for path in state.paths)
        if pawns != PAWNS:
            raise InvalidState(f"colour {colour} has {PAWNS} pawns, not {pawns}")


def _check_symbols(state: Position) -> None:
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


def _check_uses(state: Position) -> None:
    """Each use of an arrow in this turn has taken a pawn of its colour one field outward."""
    fields = progress(state.paths, unpack(state.goal))
    uses = unpack(state.uses)
    for colour, most in enumerate(fields):
        used = sum(uses[arrow.position] for arrow in arrows(state.cubes) if arrow.colour == colour)
        if used > most:
            raise InvalidState(
                f"uses counts {used} for arrows of colour {colour}, "
                f"whose pawns have advanced {most} fields in all"
            )


def _check_running(state: Position, seat: int) -> None:
    turn = state.turn
    if turn.winners:
        raise InvalidState("winners is empty while the match goes on")
    if len(turn.forfeited) >= turn.players - 1:
        raise InvalidState("only one player has not forfeited, so the match is over")
    if won := _fulfilling(state):
        raise InvalidState(f"seat {won[0]} has a tower or all pawns in the goal: the match is over")
    if seat in turn.forfeited or (not turn.forfeited and seat != _mover(turn)):
        raise InvalidState(f"seat {seat} cannot be to move in turn {turn.number}")


def _check_end(state: Position) -> None:
    turn = state.turn
    if turn.tips:
        raise InvalidState("tips is empty when the match is over")
    if len(turn.forfeited) == turn.players:
        raise InvalidState("the last player who has not forfeited cannot forfeit")
    there = _fulfilling(state)
    if len(turn.forfeited) == turn.players - 1:
        possible = not there and not turn.winners
    elif there:
        possible = turn.winners in _possible_winners(turn, there)
    else:
        possible = not turn.winners and turn.number == turn.limit
    if not possible:
        raise InvalidState("the match is over, but cannot have ended in this turn in this way")


def _possible_winners(turn: Turn, there: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The seats that can have won, given those that have a tower or all pawns in the goal."""
    asked = turn.live() if turn.forfeited else [_mover(turn)]
    return {(seat,) if seat in there else there for seat in asked}


def _mover(turn: Turn) -> int:
    """The seat whose turn it is in a match without a forfeit."""
    return (turn.number - 1) % turn.players


def _fulfilling(state: Position) -> tuple[int, ...]:
    """The seats that have a tower or all pawns in the goal and have not forfeited."""
    shown = 0
    for path in state.paths:
        for stack in path.split("/"):
            shown |= towers(stack)
    return fulfilling(state.turn, shown, state.goal)
