"""Ice Cult's special cases: circles, arcs, lapsing arrows, carried pawns, wins, forfeits."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vector_cases import Case, Document, Moment, SetUp

from polynya_games import load

CIRCLE, ARC = 4, 5


def near(
    players: int, colour: int, path: list[list[int]], goal: list[int], turn_limit: int = 200
) -> Document:
    """A position in action 2 with an arrow of ``colour``, which points along ``path``.

    All pawns that are neither on it nor in the goal are in the start area.
    """
    begin = load("icecult").setup(players, 0, {"setup": "standard", "turn_limit": turn_limit})
    for first, second in itertools.permutations(begin.legal_steps(), 2):
        tipped = begin.apply_legal(first)
        if second not in tipped.legal_steps():
            continue
        document = tipped.apply_legal(second).to_json()
        for symbol, points in [faces[0] for faces in document["blocks"]]:
            if symbol == colour:
                document["paths"][points] = path
                standing = list(itertools.chain(*path))
                start = [5 - goal[each] - standing.count(each) for each in range(4)]
                return document | {"goal": goal, "start": start}
    raise ValueError(f"no tips bring an arrow of colour {colour} on top")


GIVEN = [
    [[0, "N"], [5, None], [0, "U"], [1, "D"], [4, None], [2, "S"]],
    [[5, None], [5, None], [3, "E"], [1, "N"], [2, "D"], [0, "U"]],
    [[4, None], [4, None], [4, None], [3, "S"], [2, "U"], [1, "D"]],
    [[2, "W"], [2, "E"], [2, "D"], [5, None], [0, "W"], [3, "N"]],
]
"""Blocks of another kind: symbols any number of times."""

SET_UPS = [
    SetUp("2 players", 2, {}, 20),
    SetUp("2 players, standard", 2, {"setup": "standard"}, 6),
    SetUp("2 players, scrambled", 2, {"setup": "scrambled"}, 6),
    SetUp("2 players, 9 turns", 2, {"turn_limit": 9}, 4),
    SetUp("2 players, given blocks", 2, {"blocks": GIVEN}, 6),
    SetUp("3 players", 3, {}, 20),
    SetUp("3 players, scrambled, 16 turns", 3, {"setup": "scrambled", "turn_limit": 16}, 6),
    SetUp("4 players", 4, {}, 20),
    SetUp("4 players, standard, 12 turns", 4, {"setup": "standard", "turn_limit": 12}, 6),
    SetUp(
        "3 players, two near the goal",
        3,
        {},
        2,
        near(3, 3, [[], [], [], [], [3, 1, 2]], [2, 4, 4, 4]),
    ),
    SetUp(
        "4 players, three near the goal",
        4,
        {},
        2,
        near(4, 0, [[], [], [], [], [0, 1, 2, 3]], [4, 4, 4, 4]),
    ),
    SetUp(
        "3 players, two near a tower",
        3,
        {},
        2,
        near(3, 0, [[0, 1, 2], [1, 1, 2, 2, 1, 2, 1, 2], [], [], []], [0, 0, 0, 0]),
    ),
    SetUp(
        "2 players, near a tower in the last turn",
        2,
        {},
        2,
        near(2, 0, [[0], [0, 0, 0, 0], [], [], []], [0, 0, 0, 0], 1),
    ),
]


SET_UPS += [
    SetUp(f"example {example['example']} of the booklet", 4, {}, 1, example["state"])
    for example in json.loads(Path(__file__).with_name("icecult-examples.json").read_text("utf-8"))
]


def weight(step: list[Any], document: Document) -> int:
    """Advance to where many of one colour come together, so that towers arise and share a win."""
    if step[0] != "advance":
        return 8
    _, position, field, index = step
    symbol, points = document["blocks"][position][0]
    path = document["paths"][points]
    if field == 5:
        return 2 + 4 * int((len(path[4]) - index) ** 2)
    moving = path[field - 1][index:] if field else [symbol]
    together = moving + path[field]
    return 1 + int(max(together.count(colour) for colour in range(4)) ** 4)


def tops(document: Document) -> list[Any]:
    """The symbols on top, by position."""
    return [faces[0][0] for faces in document["blocks"]]


def stacks(document: Document) -> list[list[int]]:
    """All stacks."""
    return [stack for path in document["paths"].values() for stack in path]


def _verb(moment: Moment) -> Any:
    return moment.step[0] if moment.step else None


def _begins_action_2(moment: Moment) -> bool:
    return bool(_verb(moment) == "tip" and moment.after["phase"] == "act")


def _shown(symbol: int, count: int, name: str) -> Case:
    return (
        f"{count} {name} on top",
        lambda m: _begins_action_2(m) and tops(m.after).count(symbol) == count,
    )


def _uses(*uses: int) -> Case:
    """Arrows have been used that often in this turn, in any order."""
    return (
        f"arrows used {' and '.join(map(str, uses))} times",
        lambda m: sorted(filter(None, m.after["uses"])) == sorted(uses),
    )


def _lapses(moment: Moment) -> bool:
    """An arrow has not been used, and the turn can be ended."""
    unused = [
        top < CIRCLE and not uses
        for top, uses in zip(tops(moment.after), moment.after["uses"], strict=True)
    ]
    return ["end"] in moment.legal and any(unused)


def _copies_left(document: Document) -> int:
    copies: int = sum(max(0, uses - 1) for uses in document["uses"])
    return tops(document).count(CIRCLE) - copies


def _rotated(moment: Moment) -> Any:
    """The symbol on the block that the step rotated."""
    return tops(moment.after)[moment.step[1]] if moment.step and _verb(moment) == "rotate" else None


def _owes(document: Document) -> bool:
    """Whether an arrow that has not been used can advance a pawn."""
    return any(
        symbol < CIRCLE
        and not uses
        and (document["start"][symbol] or any(symbol in s for s in document["paths"][points]))
        for (symbol, points), uses in zip(
            [faces[0] for faces in document["blocks"]], document["uses"], strict=True
        )
    )


def _after_rotation(owed_before: bool, owed: bool) -> Callable[[Moment], bool]:
    return lambda m: (
        _verb(m) == "rotate"
        and m.before is not None
        and (_owes(m.before), _owes(m.after)) == (owed_before, owed)
    )


def _advanced_from(moment: Moment) -> tuple[list[int], list[int]]:
    """The pawns that stayed on the field that an advance left, and those that went."""
    if moment.before is None or moment.step is None or moment.step[0] != "advance":
        return [], []
    _, position, field, index = moment.step
    symbol, points = moment.before["blocks"][position][0]
    if field == 0:
        return [], [symbol]
    stack = moment.before["paths"][points][field - 1]
    return stack[:index], stack[index:]


def _reached(moment: Moment) -> int:
    """How many pawns the step took to the goal."""
    return sum(moment.after["goal"]) - sum(moment.before["goal"]) if moment.before else 0


def _entered_occupied(moment: Moment) -> bool:
    """A pawn came from the start area onto others."""
    if moment.before is None or moment.step is None or moment.step[0] != "advance":
        return False
    points = moment.before["blocks"][moment.step[1]][0][1]
    return bool(moment.step[2] == 0 and len(moment.after["paths"][points][0]) > 1)


def _won(kind: str, whose: str) -> Case:
    """A win by tower or goal: by the player to move, by another, or shared."""

    def is_case(moment: Moment) -> bool:
        winners = moment.after["winners"]
        if not winners or moment.before is None:
            return False
        goal = moment.after["goal"][winners[0]] == 5
        shared = len(winners) > 1
        mover = winners == [moment.before["to_move"]]
        found = "shared" if shared else "of the mover" if mover else "of another"
        return (kind, whose) == ("goal" if goal else "tower", found)

    return f"over: a win by {kind}, {whose}", is_case


def _mover_first(moment: Moment) -> bool:
    """Another player fulfils the condition too, but the player to move wins alone."""
    playing = set(range(moment.after["players"])) - set(moment.after["forfeited"])
    there = [
        seat
        for seat in playing
        if moment.after["goal"][seat] == 5 or any(s.count(seat) == 5 for s in stacks(moment.after))
    ]
    return len(there) > 1 and len(moment.after["winners"]) == 1


def _neutral(document: Document) -> list[int]:
    """The colours without a player, from the start or since a forfeit."""
    return [*range(document["players"], 4), *document["forfeited"]]


def _in_the_middle(moment: Moment) -> bool:
    """Won while something else could have followed in that turn."""
    before = moment.before
    return bool(before and moment.after["winners"] and before["arcs_left"] and sum(before["uses"]))


def _forfeit_of(mover: bool) -> Callable[[Moment], bool]:
    return lambda m: bool(
        m.step
        and _verb(m) == "forfeit"
        and m.before
        and (m.step[1] == m.before["to_move"]) == mover
        and m.after["phase"] != "over"
    )


def _ended(moment: Moment) -> str:
    """How a match without winners ended, empty while it goes on."""
    document = moment.after
    if document["phase"] != "over" or document["winners"]:
        return ""
    return "forfeit" if len(document["forfeited"]) == document["players"] - 1 else "limit"


CASES: list[Case] = [
    ("the set-up", lambda m: m.before is None),
    ("one tip is made", lambda m: len(m.after["tips"]) == 1),
    *(_shown(CIRCLE, count, "circles") for count in (1, 2, 3)),
    *(_shown(ARC, count, "arcs") for count in (1, 2, 3)),
    ("circles without an arrow", lambda m: _begins_action_2(m) and min(tops(m.after)) == CIRCLE),
    (
        "two arrows of one colour on top",
        lambda m: _begins_action_2(m) and any(tops(m.after).count(each) > 1 for each in range(4)),
    ),
    ("arcs without an arrow", lambda m: _begins_action_2(m) and set(tops(m.after)) == {ARC}),
    *(_uses(*uses) for uses in ((2,), (3,), (1, 2), (2, 2), (1, 1, 1), (1, 1, 2), (1, 1, 1, 1))),
    (
        "every arrow has been used, a circle is left",
        lambda m: (
            sum(m.after["uses"]) > 0
            and not _owes(m.after)
            and _copies_left(m.after) > 0 < len(m.legal)
        ),
    ),
    ("an arrow lapses", _lapses),
    (
        "a circle lapses: no arrow can advance a pawn",
        lambda m: ["end"] in m.legal and _copies_left(m.after) > 0 and min(tops(m.after)) < CIRCLE,
    ),
    ("an arrow was rotated", lambda m: _rotated(m) is not None and _rotated(m) < CIRCLE),
    ("a circle was rotated", lambda m: _rotated(m) == CIRCLE),
    ("an arc was rotated", lambda m: _rotated(m) == ARC),
    ("a rotation made an advance possible, which is owed", _after_rotation(False, True)),
    ("a rotation turned an arrow away, which owes nothing", _after_rotation(True, False)),
    (
        "an arrow was used, then rotated, and can be used again",
        lambda m: (
            m.step is not None
            and _verb(m) == "rotate"
            and m.after["uses"][m.step[1]] > 0
            and any(step[:2] == ["advance", m.step[1]] for step in m.legal)
        ),
    ),
    ("the turn can be ended or an arc used", lambda m: ["end"] in m.legal and len(m.legal) > 1),
    ("a pawn came onto others from the start area", _entered_occupied),
    ("a pawn carried others and left others behind", lambda m: all(_advanced_from(m))),
    ("a pawn carried one of its own colour", lambda m: _advanced_from(m)[1].count(0) > 1),
    ("a stack of six or more", lambda m: any(len(stack) > 5 for stack in stacks(m.after))),
    ("a pawn reached the goal", lambda m: _reached(m) == 1),
    ("three or more pawns reached the goal at once", lambda m: _reached(m) >= 3),
    (
        "a tower of a colour without a player, the match goes on",
        lambda m: (
            m.after["phase"] != "over"
            and any(s.count(c) == 5 for s in stacks(m.after) for c in _neutral(m.after))
        ),
    ),
    (
        "all pawns of a colour without a player are in the goal, the match goes on",
        lambda m: (
            m.after["phase"] != "over" and any(m.after["goal"][c] == 5 for c in _neutral(m.after))
        ),
    ),
    *(
        _won(kind, whose)
        for kind in ("tower", "goal")
        for whose in ("of the mover", "of another", "shared")
    ),
    ("over: another fulfils the condition too, the mover wins alone", _mover_first),
    ("over: won in the middle of a turn", _in_the_middle),
    (
        "over: won in the last turn",
        lambda m: bool(m.after["winners"]) and m.after["turn"] == m.after["turn_limit"],
    ),
    ("the last turn", lambda m: m.turn_over and m.after["turn"] == m.after["turn_limit"]),
    ("over: the turn limit is reached", lambda m: _ended(m) == "limit"),
    ("after a forfeit of the player to move", _forfeit_of(True)),
    ("after a forfeit of another", _forfeit_of(False)),
    (
        "over: a forfeit in the last turn",
        lambda m: _verb(m) == "forfeit" and _ended(m) == "limit",
    ),
    ("over: all but one have forfeited", lambda m: _ended(m) == "forfeit"),
]
