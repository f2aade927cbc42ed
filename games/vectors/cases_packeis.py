"""Packeis's special cases: unreachable floes, withdrawals, forfeits, playing alone, ends."""

from __future__ import annotations

from typing import Any

from vector_cases import Case, Document, Moment, SetUp

USUAL_ROWS = [[7, 1], [8, 0]] * 4
SHIFTED = [[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]]
LAKES = [[8, 2], [[4, 1], [4, 11]], [[4, 0], [4, 12]], [[4, 1], [4, 11]], [9, 0], [9, 1], [10, 0]]

SET_UPS = [
    SetUp("2 players", 2, {}, 60),
    SetUp("3 players", 3, {}, 60),
    SetUp("4 players", 4, {}, 60),
    SetUp("2 players, evenly distributed", 2, {"layout": "even"}, 6),
    SetUp("3 players on shifted rows", 3, {"rows": SHIFTED}, 12),
    SetUp("2 players around two lakes", 2, {"rows": LAKES}, 12),
    SetUp("2 players on one row", 2, {"rows": [[60, 0]]}, 6),
    SetUp("4 players, given fish", 4, {"fish": [1, 3, 2] * 20}, 6),
    SetUp("2 players, given fish on shifted rows", 2, {"rows": SHIFTED, "fish": [1, 1, 3] * 20}, 6),
]


def weight(step: list[Any], document: Document) -> int:
    """All steps alike: random play goes through every phase."""
    del step, document
    return 1


def _verb(moment: Moment) -> str:
    return str(moment.step[0]) if moment.step else ""


def _phases(moment: Moment) -> tuple[str, str]:
    """The phase before and after the step."""
    return (moment.before["phase"] if moment.before else "", moment.after["phase"])


def _floes(document: Document) -> int:
    return sum(fish > 0 for fish in document["fish"])


def _new_out(moment: Moment) -> list[int]:
    """The seats that withdrew (not those that forfeited) with the step."""
    if moment.before is None:
        return []
    left = moment.step[1] if _verb(moment) == "forfeit" and moment.step else -1
    seats = range(moment.after["players"])
    return [
        seat
        for seat in seats
        if moment.after["out"][seat] and not moment.before["out"][seat] and seat != left
    ]


def _unreachable(moment: Moment) -> int:
    """The number of floes that left the board and went to no player."""
    if moment.before is None:
        return 0
    caught = sum(moment.after["floes_caught"]) - sum(moment.before["floes_caught"])
    forfeited = 0
    if _verb(moment) == "forfeit" and moment.step:
        forfeited = len(moment.before["penguins"][moment.step[1]])
    return _floes(moment.before) - _floes(moment.after) - caught - forfeited


def _alone(moment: Moment) -> bool:
    """All others are out, and the match goes on."""
    return moment.after["to_move"] is not None and moment.after["out"].count(False) == 1


def _again(moment: Moment) -> bool:
    """The same player is asked again although others are still in: they cannot move."""
    return (
        moment.before is not None
        and _verb(moment) == "move"
        and moment.before["to_move"] == moment.after["to_move"]
        and not _alone(moment)
    )


def _over(moment: Moment) -> bool:
    return moment.after["to_move"] is None


def _tied(moment: Moment) -> bool:
    """The match is over and two players have the same fish."""
    caught = moment.after["fish_caught"]
    return _over(moment) and len(set(caught)) < len(caught)


def _stuck_in_placement(moment: Moment) -> bool:
    """A player withdraws when placement ends: it cannot move any penguin."""
    return _phases(moment)[0] == "placement" and bool(_new_out(moment))


CASES: list[Case] = [
    ("the beginning", lambda moment: moment.before is None),
    ("a penguin stands", lambda moment: _phases(moment) == ("placement", "placement")),
    ("the movement begins", lambda moment: _phases(moment) == ("placement", "movement")),
    ("a withdrawal as placement ends", _stuck_in_placement),
    ("a floe is caught", lambda moment: _verb(moment) == "move"),
    ("unreachable floes leave the board", lambda moment: _unreachable(moment) > 0),
    ("many unreachable floes leave at once", lambda moment: _unreachable(moment) > 5),
    ("a withdrawal", lambda moment: _phases(moment)[1] == "movement" and _new_out(moment)),
    ("two withdraw at once", lambda moment: len(_new_out(moment)) > 1),
    ("a player goes on alone", _alone),
    ("others are stuck but not yet out", _again),
    ("a penguin that cannot move", lambda moment: _has_stuck_penguin(moment.after)),
    ("one legal step", lambda moment: len(moment.legal) == 1),
    ("a forfeit in placement", lambda moment: _forfeit_in(moment, "placement")),
    ("a forfeit in movement", lambda moment: _forfeit_in(moment, "movement")),
    ("a forfeit of the player to move", lambda moment: _forfeit_of_mover(moment)),
    ("a forfeit makes floes unreachable", lambda moment: _forfeit_isolates(moment)),
    ("a second forfeit", lambda moment: len(moment.after["forfeited"]) == 2),
    ("the end", _over),
    ("the end by forfeit", lambda moment: _over(moment) and _verb(moment) == "forfeit"),
    ("the end with equal fish", _tied),
]


def _has_stuck_penguin(document: Document) -> bool:
    """Some penguin of the player to move has no step, another has."""
    return False if document["to_move"] is None else bool(_stuck(document))


def _stuck(document: Document) -> list[int]:
    own = document["penguins"][document["to_move"]]
    return [cell for cell in own if _enclosed(document, cell)]


def _enclosed(document: Document, cell: int) -> bool:
    occupied = {penguin for own in document["penguins"] for penguin in own}
    return all(
        not document["fish"][neighbour] or neighbour in occupied
        for neighbour in neighbours(document, cell)
    )


def neighbours(document: Document, cell: int) -> list[int]:
    """The neighbouring cells, by the formulas of the rules (Arktia, "Geometry")."""
    spots = [
        (row, indent + 2 * position)
        for row, given in enumerate(document.get("rows", USUAL_ROWS))
        for length, indent in (given if isinstance(given[0], list) else [given])
        for position in range(length)
    ]
    row, x = spots[cell]
    ways = [(0, 2), (0, -2), (-1, 1), (-1, -1), (1, 1), (1, -1)]
    around = [(row + down, x + east) for down, east in ways]
    return [spots.index(spot) for spot in around if spot in spots]


def _forfeit_in(moment: Moment, phase: str) -> bool:
    return _verb(moment) == "forfeit" and _phases(moment)[0] == phase


def _forfeit_of_mover(moment: Moment) -> bool:
    return (
        _verb(moment) == "forfeit"
        and moment.before is not None
        and moment.step is not None
        and moment.before["to_move"] == moment.step[1]
    )


def _forfeit_isolates(moment: Moment) -> bool:
    return _verb(moment) == "forfeit" and _unreachable(moment) > 0
