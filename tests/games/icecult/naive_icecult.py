"""Ice Cult as its rules say it, slowly: a document that is changed in place.

Written from the rules alone, for the tests to compare the fast implementation with. Blocks are
dictionaries from the direction that a face looks in to its symbol and arrow; nothing is packed,
precomputed or remembered.
"""

from __future__ import annotations

import copy
from typing import Any

Step = list[Any]
Block = dict[str, list[Any]]

ORDER = ["U", "D", "N", "E", "S", "W"]
TIPS = {
    "N": {"U": "N", "N": "D", "D": "S", "S": "U"},
    "S": {"N": "U", "D": "N", "S": "D", "U": "S"},
    "E": {"U": "E", "E": "D", "D": "W", "W": "U"},
    "W": {"E": "U", "D": "E", "W": "D", "U": "W"},
}
CLOCKWISE = {"N": "E", "E": "S", "S": "W", "W": "N"}
COUNTERCLOCKWISE = {"E": "N", "S": "E", "W": "S", "N": "W"}
PAIRS = {"N": (0, 1), "S": (3, 2), "W": (0, 3), "E": (1, 2)}
WAYS = {"N": ["N", "S"], "S": ["N", "S"], "W": ["W", "E"], "E": ["W", "E"]}
BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}


def frame(block: int) -> Block:
    return {
        "U": [5, None],
        "D": [4, None],
        "N": [(0 - block) % 4, "U"],
        "E": [(1 - block) % 4, "N"],
        "S": [(2 - block) % 4, "W"],
        "W": [(3 - block) % 4, "D"],
    }


def turn(block: Block, change: dict[str, str]) -> Block:
    turned = {}
    for looks, (symbol, points) in block.items():
        turned[change.get(looks, looks)] = [symbol, change.get(points, points)]
    return turned


def listed(block: Block) -> list[list[Any]]:
    return [block[looks] for looks in ORDER]


def unlisted(faces: list[list[Any]]) -> Block:
    return dict(zip(ORDER, copy.deepcopy(faces), strict=True))


def standard_blocks() -> list[list[list[Any]]]:
    blocks = []
    for position in range(4):
        block = frame(position)
        for _ in range(position):
            block = turn(block, CLOCKWISE)
        blocks.append(listed(block))
    return blocks


class Naive:
    """A match of Ice Cult; ``d`` is the document of its position."""

    def __init__(self, players: int, blocks: list[list[list[Any]]], turn_limit: int = 200) -> None:
        self.d: dict[str, Any] = {
            "game": "icecult",
            "players": players,
            "phase": "tip",
            "turn": 1,
            "to_move": 0,
            "blocks": copy.deepcopy(blocks),
            "paths": {path: [[], [], [], [], []] for path in "NESW"},
            "start": [5, 5, 5, 5],
            "goal": [0, 0, 0, 0],
            "tips": [],
            "uses": [0, 0, 0, 0],
            "arcs_left": 0,
            "winners": [],
            "forfeited": [],
            "turn_limit": turn_limit,
        }

    # -- what can be done --------------------------------------------------------------------

    def legal(self) -> list[Step]:
        if self.d["phase"] == "over":
            return []
        if self.d["phase"] == "tip":
            return sorted(self.tips())
        steps = self.advances()
        if not steps:
            steps.append(["end"])
        if self.d["arcs_left"] > 0:
            for position in range(4):
                steps += [["rotate", position, "cw"], ["rotate", position, "ccw"]]
        return sorted(steps)

    def tips(self) -> list[Step]:
        steps: list[Step] = [["tip", pair, way] for pair in PAIRS for way in WAYS[pair]]
        return [step for step in steps if self.d["tips"] != [[step[1], BACK[step[2]]]]]

    def top(self, position: int) -> list[Any]:
        face: list[Any] = self.d["blocks"][position][0]
        return face

    def advances(self) -> list[Step]:
        steps: list[Step] = []
        for position in range(4):
            symbol, points = self.top(position)
            if symbol < 4 and self.may_use(position):
                if self.d["start"][symbol] > 0:
                    steps.append(["advance", position, 0, 0])
                for field in range(1, 6):
                    for index, colour in enumerate(self.d["paths"][points][field - 1]):
                        if colour == symbol:
                            steps.append(["advance", position, field, index])
        return steps

    def may_use(self, position: int) -> bool:
        uses = list(self.d["uses"])
        uses[position] += 1
        circles = [self.top(each)[0] for each in range(4)].count(4)
        copies: int = sum(max(0, used - 1) for used in uses)
        return copies <= circles

    # -- what is done --------------------------------------------------------------------------

    def apply(self, step: Step) -> None:
        assert step in self.legal()
        if step[0] == "tip":
            self.tip(step[1], step[2])
        elif step[0] == "rotate":
            self.rotate(step[1], CLOCKWISE if step[2] == "cw" else COUNTERCLOCKWISE)
        elif step[0] == "advance":
            self.advance(step[1], step[2], step[3])
        else:
            self.end_turn()

    def tip(self, pair: str, way: str) -> None:
        for position in PAIRS[pair]:
            self.turn_block(position, TIPS[way])
        self.d["tips"].append([pair, way])
        if len(self.d["tips"]) == 2:
            self.d["phase"] = "act"
            self.d["arcs_left"] = [self.top(each)[0] for each in range(4)].count(5)

    def turn_block(self, position: int, change: dict[str, str]) -> None:
        block = unlisted(self.d["blocks"][position])
        self.d["blocks"][position] = listed(turn(block, change))

    def rotate(self, position: int, change: dict[str, str]) -> None:
        self.turn_block(position, change)
        self.d["arcs_left"] -= 1

    def advance(self, position: int, field: int, index: int) -> None:
        colour, points = self.top(position)
        path = self.d["paths"][points]
        if field == 0:
            self.d["start"][colour] -= 1
            moved = [colour]
        else:
            moved = path[field - 1][index:]
            del path[field - 1][index:]
        if field == 5:
            for pawn in moved:
                self.d["goal"][pawn] += 1
        else:
            path[field].extend(moved)
        self.d["uses"][position] += 1
        self.look_for_winners()

    def playing(self) -> list[int]:
        return [seat for seat in range(self.d["players"]) if seat not in self.d["forfeited"]]

    def fulfils(self, seat: int) -> bool:
        stacks = [stack for path in self.d["paths"].values() for stack in path]
        return self.d["goal"][seat] == 5 or any(stack.count(seat) == 5 for stack in stacks)

    def look_for_winners(self) -> None:
        winners = [seat for seat in self.playing() if self.fulfils(seat)]
        if self.d["to_move"] in winners:
            winners = [self.d["to_move"]]
        if winners:
            self.d["winners"] = winners
            self.over()

    def over(self) -> None:
        self.d["phase"] = "over"
        self.d["to_move"] = None
        self.no_turn()

    def no_turn(self) -> None:
        self.d["tips"] = []
        self.d["uses"] = [0, 0, 0, 0]
        self.d["arcs_left"] = 0

    def end_turn(self) -> None:
        self.no_turn()
        if self.d["turn"] == self.d["turn_limit"]:
            self.over()
            return
        self.d["phase"] = "tip"
        self.d["turn"] += 1
        seat = self.d["to_move"]
        while True:
            seat = (seat + 1) % self.d["players"]
            if seat in self.playing():
                break
        self.d["to_move"] = seat

    def forfeit(self, seat: int) -> None:
        self.d["forfeited"].append(seat)
        if len(self.playing()) == 1:
            self.over()
        elif self.d["to_move"] == seat:
            self.end_turn()

    # -- how it ended ----------------------------------------------------------------------------

    def result(self, seat: int) -> tuple[int, ...]:
        """What ranks a seat, greater is better."""
        if seat in self.d["forfeited"]:
            return (0, self.d["forfeited"].index(seat))
        if self.d["winners"]:
            return (1, int(seat in self.d["winners"]))
        fields = 6 * self.d["goal"][seat]
        for path in self.d["paths"].values():
            for number in range(5):
                fields += (number + 1) * path[number].count(seat)
        return (1, self.d["goal"][seat], fields)

    def ranking(self) -> list[int]:
        results = [self.result(seat) for seat in range(self.d["players"])]
        return [1 + sum(other > own for other in results) for own in results]

    def scores(self) -> list[int]:
        goal: list[int] = self.d["goal"]
        return goal[: self.d["players"]]

    def termination(self) -> str:
        if self.d["winners"]:
            return "victory"
        return "forfeit" if len(self.playing()) == 1 else "limit"
