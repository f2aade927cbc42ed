"""Arktia's special cases: towers, keeps, falling globes, melting, skips, ends."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from vector_cases import Case, Document, Moment, SetUp

RING = [[4, 4], [5, 3], [[2, 2], [2, 10]], [[2, 1], [2, 11]], [[2, 2], [2, 10]], [5, 3], [4, 4]]
SMALL_LAKE = {"neutrals": True, "rows": [[5, 1], [[2, 0], [3, 6]], [5, 1], [3, 2]]}
LARGE = [[11, 0], [[5, 1], [5, 13]]] * 6 + [[1, 2]]

SET_UPS = [
    SetUp("2 players", 2, {}, 16),
    SetUp("2 players on one row", 2, {"rows": [[24, 0]]}, 8),
    SetUp("2 players on own rows", 2, {"rows": [[3, 0], [1, 3], [8, 2], [1, 7], [11, 0]]}, 8),
    SetUp("2 players, 2 rounds", 2, {"round_limit": 2}, 4),
    SetUp("3 players", 3, {}, 16),
    SetUp("3 players on a zigzag", 3, {"rows": [[1, row % 2] for row in range(27)]}, 8),
    SetUp("3 players with neutrals", 3, {"neutrals": True}, 16),
    SetUp("4 players", 4, {}, 16),
    SetUp("2 players on a ring", 2, {"rows": RING}, 8),
    SetUp("3 players with neutrals on a small board with a lake", 3, SMALL_LAKE, 8),
    SetUp("3 players with neither a gap nor room", 3, {"rows": [[3, 0], [3, 1]]}, 4),
    SetUp("4 players on 127 tiles with lakes", 4, {"rows": LARGE}, 4),
    SetUp(
        "4 players on a slope, 1 round",
        4,
        {"rows": [[9, i] for i in range(4)], "round_limit": 1},
        4,
    ),
]


SET_UPS += [
    SetUp(f"{figure['example']}", figure["state"]["players"], {}, 1, figure["state"])
    for figure in json.loads(Path(__file__).with_name("arktia-figures.json").read_text("utf-8"))
]


def weight(step: list[Any], document: Document) -> int:
    """Retire seldom; move onto others and lift towers often, for there the rules have corners."""
    if step[0] == "retire":
        return 1
    if step[0] == "move" and (document["stacks"][step[3]] or step[2] > 1):
        return 60
    return 10


def kinds(stack: list[list[Any]]) -> str:
    """A stack's kinds, bottom to top."""
    return "".join(kind for _, kind in stack)


def shapes(document: Document) -> Counter[str]:
    """How many stacks of each shape there are."""
    return Counter(kinds(stack) for stack in document["stacks"])


def _has(shape: str) -> Case:
    letter = {"DG": "A", "TD": "B", "GT": "C", "TDG": "D"}[shape]
    return f"a tower {letter} ({shape})", lambda moment: shapes(moment.after)[shape]


def _verb(moment: Moment) -> Any:
    return moment.step[0] if moment.step else None


def _lifted(moment: Moment) -> str:
    """The kinds that a move lifted."""
    if moment.before is None or moment.step is None or moment.step[0] != "move":
        return ""
    _, start, count, _ = moment.step
    return kinds(moment.before["stacks"][start][-count:])


def _globe_fell(moment: Moment) -> bool:
    """A disc was taken out of a TDG, so that its globe lies in its torus."""
    if moment.before is None:
        return False
    pairs = zip(moment.before["stacks"], moment.after["stacks"], strict=True)
    fell = any(
        kinds(old) == "TDG" and kinds(new) == "GT" and old[0] == new[1] and old[2] == new[0]
        for old, new in pairs
    )
    return fell or (_lifted(moment) == "TDG" and kinds(_goal(moment)) == "GT")


def _goal(moment: Moment) -> list[list[Any]]:
    """The stack that lies where a move went."""
    stack: list[list[Any]] = moment.after["stacks"][moment.step[3]] if moment.step else []
    return stack


def _taken(moment: Moment) -> int:
    """How many muglus the step took."""
    return sum(moment.after["taken"]) - sum(moment.before["taken"]) if moment.before else 0


def _mover(moment: Moment) -> int:
    """The seat whose step it was, -1 at the beginning and for a forfeit."""
    if moment.before is None or _verb(moment) == "forfeit":
        return -1
    seat: int = moment.before["to_move"]
    return seat


def _newly_out(moment: Moment) -> list[int]:
    if moment.before is None:
        return []
    pairs = enumerate(zip(moment.before["out"], moment.after["out"], strict=True))
    return [seat for seat, (old, new) in pairs if new and not old]


def _out_by_rule(moment: Moment) -> list[int]:
    """The seats that went out without wanting to, when their turn came."""
    left = moment.step[1] if moment.step and moment.step[0] == "forfeit" else -1
    return [seat for seat in _newly_out(moment) if seat not in (_mover(moment), left)]


def _standing(document: Document, seat: int) -> int:
    return sum(colour == seat for stack in document["stacks"] for colour, _ in stack)


def _empty_reserve(document: Document, seat: int) -> bool:
    return seat >= 0 and not any(document["reserve"][seat])


def _could_not_melt(moment: Moment) -> bool:
    return _verb(moment) in ("move", "keep") and _mover(moment) in _newly_out(moment)


def _placed_last(moment: Moment) -> bool:
    return _verb(moment) == "place" and _empty_reserve(moment.after, _mover(moment))


def _keep_colour(moment: Moment) -> int:
    colour: int = moment.legal[0][1] if moment.after["owes"] == "keep" else -1
    return colour


def _skipped(moment: Moment) -> bool:
    """The main phase begins, and a player who stays has placed only one muglu."""
    if moment.after["phase"] != "main" or not moment.before or moment.before["phase"] == "main":
        return False
    return any(
        sum(reserve) == 8 and not out
        for reserve, out in zip(moment.after["reserve"], moment.after["out"], strict=True)
    )


def _ended(moment: Moment) -> str:
    """How the match ended, empty while it goes on."""
    document = moment.after
    if document["phase"] != "over":
        return ""
    if len(document["forfeited"]) == document["players"] - 1:
        return "forfeit"
    return "out" if all(document["out"]) else "limit"


def _forfeit_in(phase: str) -> Case:
    return (
        f"after a forfeit in the phase {phase}",
        lambda moment: (
            _verb(moment) == "forfeit"
            and moment.before is not None
            and moment.before["phase"] == phase
            and moment.after["phase"] != "over"
        ),
    )


def _phase(phase: str) -> Case:
    return f"the phase {phase}", lambda moment: moment.after["phase"] == phase


CASES: list[Case] = [
    _phase("neutral"),
    _phase("opening"),
    _phase("main"),
    *(_has(shape) for shape in ("DG", "TD", "GT", "TDG")),
    (
        "a torus alone has left its globe",
        lambda m: (
            _lifted(m) == "T"
            and m.step
            and m.before
            and kinds(m.before["stacks"][m.step[1]]) == "GT"
        ),
    ),
    ("an enclosed globe went along with its torus", lambda m: _lifted(m) == "GT"),
    (
        "two muglus lifted off a tower D",
        lambda m: (
            _lifted(m) == "DG"
            and m.before
            and m.step
            and kinds(m.before["stacks"][m.step[1]]) == "TDG"
        ),
    ),
    ("a tower D moved as a whole", lambda m: _lifted(m) == "TDG"),
    ("a move took muglus", lambda m: _verb(m) == "move" and _taken(m)),
    ("a move took three or more muglus", lambda m: _verb(m) == "move" and _taken(m) >= 3),
    ("a keep is owed", lambda m: _keep_colour(m) >= 0),
    ("a keep of the neutral colour is owed", lambda m: _keep_colour(m) == m.after["players"]),
    ("a keep is owed between three groups", lambda m: _keep_colour(m) >= 0 and len(m.legal) > 2),
    ("muglus were taken before a keep is owed", lambda m: _keep_colour(m) >= 0 and _taken(m)),
    ("a second keep is owed in the turn", lambda m: _verb(m) == "keep" and _keep_colour(m) >= 0),
    ("after a keep", lambda m: _verb(m) == "keep" and m.turn_over),
    ("a melt is owed after a keep", lambda m: _verb(m) == "keep" and m.after["owes"] == "melt"),
    ("a globe fell into its torus", _globe_fell),
    (
        "a seat with one muglu left went out",
        lambda m: any(_standing(m.after, seat) <= 1 for seat in _out_by_rule(m)),
    ),
    (
        "a seat that can neither place nor move went out",
        lambda m: any(_standing(m.after, seat) > 1 for seat in _out_by_rule(m)),
    ),
    ("the last muglu was placed: nothing is melted in that turn", _placed_last),
    ("a melt is owed", lambda m: m.after["owes"] == "melt"),
    ("a melt is owed, one tile can go", lambda m: m.after["owes"] == "melt" and len(m.legal) == 1),
    ("a tile was melted", lambda m: _verb(m) == "melt"),
    ("half of the ice has melted", lambda m: 2 * sum(m.after["ice"]) <= len(m.after["ice"])),
    ("a seat had to melt and could not", _could_not_melt),
    ("a seat retired", lambda m: _verb(m) == "retire" and m.after["phase"] != "over"),
    (
        "only one seat goes on",
        lambda m: m.after["phase"] == "main" and m.after["out"].count(False) == 1,
    ),
    ("a seat was skipped in the second round of the opening", _skipped),
    _forfeit_in("neutral"),
    _forfeit_in("opening"),
    _forfeit_in("main"),
    ("over: all but one have forfeited", lambda m: _ended(m) == "forfeit"),
    ("over: all are out", lambda m: _ended(m) == "out"),
    ("over: the round limit is reached", lambda m: _ended(m) == "limit"),
    ("over: all are out after a forfeit", lambda m: _ended(m) == "out" and m.after["forfeited"]),
]
