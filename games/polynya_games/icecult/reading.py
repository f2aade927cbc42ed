"""A position read back from its document: its form; ``plausibility`` asks whether it can be."""

from __future__ import annotations

from typing import Any

from polynya_games.errors import InvalidState
from polynya_games.game import Step
from polynya_games.icecult.blocks import PATHS
from polynya_games.icecult.legal_steps import DIRECTIONS, SECOND_TIPS, circles
from polynya_games.icecult.paths import pack
from polynya_games.icecult.plausibility import check_position
from polynya_games.icecult.rules_config import FIELDS, MOST_TURNS, PAWNS, SEATS
from polynya_games.icecult.setup import read_blocks
from polynya_games.icecult.state import IceCultState
from polynya_games.icecult.turn_order import Turn
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


def read_state(data: object) -> IceCultState:
    """The position that a document of the form of ``IceCultState.to_json`` describes.

    Raises:
        InvalidState: the document has another form, or describes a position that cannot be.
    """
    document = read_game(data, "icecult", _KEYS)
    turn = _read_turn(document)
    cubes = read_blocks(document["blocks"])
    uses = read_integers(document["uses"], "uses", 0, 4, 4)
    copies = sum(max(0, used - 1) for used in uses)
    state = IceCultState(
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
    check_position(state)
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
