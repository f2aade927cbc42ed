"""Why a step, a forfeit or an option is refused, by code and in every language."""

from __future__ import annotations

from typing import Any

from polynya_games.arktia.board import Board
from polynya_games.arktia.position import Position, landings
from polynya_games.arktia.stacks import ALL, CELLS, CODES, HELD, LIFTS, OCCUPIED, shape, stack_at
from polynya_games.errors import IllegalStep
from polynya_games.refusals import COMMON, Templates, refusal

REFUSALS: Templates = {
    **COMMON,
    "other_step_owed": {
        "en": 'the turn is not over: a "{owed}" is owed now, not a "{verb}"',
        "de": 'der Zug ist nicht zu Ende: Jetzt muss "{owed}" folgen, nicht "{verb}"',
    },
    "step_not_owed": {
        "en": 'no "{verb}" is owed: a turn begins with "place", "move" or "retire"',
        "de": '"{verb}" ist nicht an der Reihe: Ein Zug beginnt mit "place", "move" oder "retire"',
    },
    "other_phase": {
        "en": 'in the phase {phase} the only verb is "{only}", not "{verb}"',
        "de": 'in der Phase {phase} ist das einzige Verb "{only}", nicht "{verb}"',
    },
    "no_cell": {
        "en": "there is no cell {cell}: the cells are 0 to {last}",
        "de": "eine Platte {cell} gibt es nicht: Die Platten sind 0 bis {last}",
    },
    "melted_cell": {
        "en": "the tile of cell {cell} has melted",
        "de": "Platte {cell} ist geschmolzen",
    },
    "no_kind": {
        "en": "kind is G (globe), D (disc) or T (torus), not {value}",
        "de": "kind ist G (Kugel), D (Scheibe) oder T (Ring), nicht {value}",
    },
    "none_in_reserve": {
        "en": "seat {seat} has no {kind} in reserve",
        "de": "Sitz {seat} hat kein {kind} im Vorrat",
    },
    "no_neutral_in_reserve": {
        "en": "seat {seat} has no neutral {kind} in reserve",
        "de": "Sitz {seat} hat kein neutrales {kind} im Vorrat",
    },
    "occupied_cell": {
        "en": "cell {cell} is not empty: it holds {stack}",
        "de": "Platte {cell} ist nicht leer: Dort steht {stack}",
    },
    "not_next_to_neutral": {
        "en": "cell {cell} is not next to a tile with a neutral muglu",
        "de": "Platte {cell} grenzt an keine Platte mit einem neutralen Muglu",
    },
    "not_next_to_own": {
        "en": "cell {cell} is not next to a tile with a muglu of colour {colour}",
        "de": "Platte {cell} grenzt an keine Platte mit einem Muglu der Farbe {colour}",
    },
    "not_next_to_any": {
        "en": "cell {cell} is not next to an occupied tile",
        "de": "Platte {cell} grenzt an keine besetzte Platte",
    },
    "empty_cell": {
        "en": "cell {cell} is empty",
        "de": "Platte {cell} ist leer",
    },
    "foreign_stack": {
        "en": "seat {seat} does not control cell {cell}: colour {colour} does",
        "de": "Platte {cell} gehört nicht Sitz {seat}, sondern Farbe {colour}",
    },
    "wrong_count": {
        "en": "from the {stack} on cell {cell} 1 to {most} go, not {count}",
        "de": "von {stack} auf Platte {cell} ziehen 1 bis {most}, nicht {count}",
    },
    "no_landing": {
        "en": "{lifted} may not land on {stack}",
        "de": "{lifted} darf nicht auf {stack} landen",
    },
    "splits_own_colour": {
        "en": "the move would leave colour {colour} in more than one group",
        "de": "der Zug würde Farbe {colour} in mehrere Gruppen teilen",
    },
    "same_cell": {
        "en": "cell {cell} is where the move begins",
        "de": "auf Platte {cell} beginnt der Zug",
    },
    "melted_way": {
        "en": "between cell {start} and cell {goal} a tile has melted",
        "de": "zwischen Platte {start} und Platte {goal} ist eine Platte geschmolzen",
    },
    "missing_way": {
        "en": "between cell {start} and cell {goal} a tile is missing",
        "de": "zwischen Platte {start} und Platte {goal} fehlt eine Platte",
    },
    "not_straight": {
        "en": "cell {goal} does not lie in a straight line from cell {start}",
        "de": "Platte {goal} liegt von Platte {start} aus nicht in gerader Linie",
    },
    "other_colour": {
        "en": "colour {owed} is dealt with now, not colour {colour}",
        "de": "jetzt geht es um Farbe {owed}, nicht um Farbe {colour}",
    },
    "no_largest_group": {
        "en": "the largest groups of colour {colour} are named by their lowest cells: {cells}",
        "de": "die größten Gruppen der Farbe {colour} werden mit ihrer niedrigsten Platte "
        "genannt: {cells}",
    },
    "not_at_edge": {
        "en": "cell {cell} is not at the edge: it has six neighbours",
        "de": "Platte {cell} liegt nicht am Rand: Sie hat sechs Nachbarn",
    },
    "ice_falls_apart": {
        "en": "without cell {cell} the ice would fall apart",
        "de": "ohne Platte {cell} zerfiele das Eis",
    },
    "no_seat": {
        "en": "the seats are 0 to {last}, not {seat}",
        "de": "die Sitze sind 0 bis {last}, nicht {seat}",
    },
    "out_already": {
        "en": "seat {seat} is out of the match already",
        "de": "Sitz {seat} spielt nicht mehr mit",
    },
    "step_owed": {
        "en": "the turn of seat {seat} is not over: a {owed} is owed",
        "de": "der Zug von Sitz {seat} ist nicht zu Ende: {owed} muss noch folgen",
    },
    "neutrals_of_players": {
        "en": "neutrals with {players} players is {choices}, not {value}",
        "de": "neutrals ist bei {players} Spielern {choices}, nicht {value}",
    },
    "few_tiles": {
        "en": "rows has {count} tiles, fewer than the {least} muglus of the opening",
        "de": "rows hat {count} Platten, weniger als die {least} Muglus der Eröffnung",
    },
    "rows_apart": {
        "en": "rows is not connected: some tiles cannot be reached from the others",
        "de": "rows hängt nicht zusammen: Manche Platten sind von den anderen aus "
        "nicht zu erreichen",
    },
}
"""The refusals of this game, those of all games among them."""


def not_now(state: Position, verb: str) -> IllegalStep:
    """Why a verb has no place here."""
    if state.owes is not None:
        return _illegal("other_step_owed", owed=state.owes, verb=verb)
    if state.phase == "main":
        return _illegal("step_not_owed", verb=verb)
    only = "neutral" if state.phase == "neutral" else "place"
    return _illegal("other_phase", phase=state.phase, only=only, verb=verb)


def _no_tile(state: Position, cell: int) -> IllegalStep | None:
    """Why a cell is no existing tile, None if it is one."""
    if not 0 <= cell < state.rules.board.cells:
        return _illegal("no_cell", cell=cell, last=state.rules.board.cells - 1)
    return None if state.ice >> cell & 1 else _illegal("melted_cell", cell=cell)


def no_place(state: Position, seat: int, reserve: int, kind: str, cell: int) -> IllegalStep:
    """Why a muglu may not be placed there."""
    if kind not in HELD[reserve]:
        code = "no_neutral_in_reserve" if state.phase == "neutral" else "none_in_reserve"
        return _illegal(code, seat=seat, kind=kind)
    if (missing := _no_tile(state, cell)) is not None:
        return missing
    if stack := stack_at(state.packed, cell):
        return _illegal("occupied_cell", cell=cell, stack=shape(stack))
    if state.phase == "neutral":
        return _illegal("not_next_to_neutral", cell=cell)
    if state.packed >> CELLS * seat & ALL:
        return _illegal("not_next_to_own", cell=cell, colour=seat)
    return _illegal("not_next_to_any", cell=cell)


def no_move(state: Position, seat: int, start: int, count: int, goal: int) -> IllegalStep:
    """Why this number of muglus may not go from one cell to another."""
    if (missing := _no_tile(state, start) or _no_tile(state, goal)) is not None:
        return missing
    stack = stack_at(state.packed, start)
    if not stack:
        return _illegal("empty_cell", cell=start)
    if stack[-1][0] != seat:
        return _illegal("foreign_stack", seat=seat, cell=start, colour=stack[-1][0])
    if not 1 <= count <= len(stack):
        return _illegal("wrong_count", stack=shape(stack), cell=start, most=len(stack), count=count)
    board = state.rules.board
    if not board.reach(start, state.ice) >> goal & 1:
        return _no_way(board, start, goal)
    lifted = stack[len(stack) - count :]
    _, landing, _ = LIFTS[CODES[stack]][count - 1]
    if not landings(state.packed, state.ice)[landing] >> goal & 1:
        below = shape(stack_at(state.packed, goal))
        return _illegal("no_landing", lifted=shape(lifted), stack=below)
    return _illegal("splits_own_colour", colour=seat)


def _no_way(board: Board, start: int, goal: int) -> IllegalStep:
    if start == goal:
        return _illegal("same_cell", cell=start)
    if board.reach(start, board.everything) >> goal & 1:
        return _illegal("melted_way", start=start, goal=goal)
    down, east = (
        there - here for here, there in zip(board.centres[start], board.centres[goal], strict=True)
    )
    if down == 0 or abs(down) == abs(east):
        return _illegal("missing_way", start=start, goal=goal)
    return _illegal("not_straight", start=start, goal=goal)


def no_keep(owed: int, lowest: list[int], colour: int) -> IllegalStep:
    """Why a group may not be kept."""
    if colour != owed:
        return _illegal("other_colour", owed=owed, colour=colour)
    cells = ", ".join(str(cell) for cell in lowest)
    return _illegal("no_largest_group", colour=owed, cells=cells)


def no_melt(state: Position, cell: int) -> IllegalStep:
    """Why a tile may not be melted."""
    if (missing := _no_tile(state, cell)) is not None:
        return missing
    if state.packed >> OCCUPIED + cell & 1:
        return _illegal("occupied_cell", cell=cell, stack=shape(stack_at(state.packed, cell)))
    if (state.rules.board.neighbours[cell] & state.ice).bit_count() == 6:
        return _illegal("not_at_edge", cell=cell)
    return _illegal("ice_falls_apart", cell=cell)


def _illegal(code: str, **fields: Any) -> IllegalStep:
    return refusal(IllegalStep, REFUSALS, code, **fields)
