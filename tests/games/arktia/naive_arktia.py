"""Arktia's rules read a second time: slow, obvious, with dictionaries and sets.

The methods follow the sentences of the rules one by one; no table, mask or class of the package
is used in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Cell = int
Group = frozenset[Cell]
Document = dict[str, Any]

WAYS = [(0, 2), (0, -2), (-1, 1), (-1, -1), (1, 1), (1, -1)]
TOWERS = ["", "G", "D", "T", "DG", "TD", "GT", "TDG"]
ROWS = {
    24: [[4, 2], [5, 1], [6, 0], [5, 1], [4, 2]],
    27: [[3, 5], [4, 4], [5, 3], [6, 2], [5, 3], [4, 4]],
    36: [[3, 3], [4, 2], [5, 1], [6, 0], [6, 1], [5, 2], [4, 3], [3, 4]],
}


class Naive:
    """A match that is changed in place; its document is its only memory."""

    def __init__(self, players: int, options: dict[str, Any]) -> None:
        self.neutrals = options.get("neutrals", players == 2)
        rows = options.get("rows", ROWS[players * (12 if self.neutrals else 9)])
        self.spots = [
            (row, indent + 2 * position)
            for row, given in enumerate(rows)
            for length, indent in (given if isinstance(given[0], list) else [given])
            for position in range(length)
        ]
        tiles = len(self.spots)
        self.d: Document = {
            "game": "arktia",
            "players": players,
            "phase": "neutral" if self.neutrals else "opening",
            "round": 0,
            "to_move": 0,
            "rows": rows,
            "ice": [1] * tiles,
            "stacks": [[] for _ in range(tiles)],
            "reserve": [[3, 3, 3] for _ in range(players)],
            "neutral_reserve": [[int(self.neutrals)] * 3 for _ in range(players)],
            "taken": [0] * players,
            "melted": [0] * players,
            "points": [0] * players,
            "out": [False] * players,
            "forfeited": [],
            "round_limit": options.get("round_limit", 60),
            "owes": None,
        }
        self.opening_round = 1

    def tiles(self) -> set[Cell]:
        return {cell for cell, there in enumerate(self.d["ice"]) if there}

    def line(self, cell: Cell, down: int, east: int) -> list[Cell]:
        """The existing tiles from a cell on in one direction, until one is missing."""
        row, x = self.spots[cell]
        line: list[Cell] = []
        while (row := row + down, x := x + east) in self.spots:
            following = self.spots.index((row, x))
            if not self.d["ice"][following]:
                break
            line.append(following)
        return line

    def lines(self, cell: Cell) -> list[list[Cell]]:
        return [self.line(cell, down, east) for down, east in WAYS]

    def neighbours(self, cell: Cell) -> set[Cell]:
        row, x = self.spots[cell]
        around = {(row + down, x + east) for down, east in WAYS}
        return {other for other in self.tiles() if self.spots[other] in around}

    def parts(self, cells: set[Cell]) -> list[Group]:
        """The connected parts of a set of cells, by lowest cell."""
        left, parts = set(cells), []
        while left:
            part, todo = set(), [min(left)]
            while todo:
                cell = todo.pop()
                if cell not in part:
                    part.add(cell)
                    todo += self.neighbours(cell) & left
            parts.append(frozenset(part))
            left -= part
        return parts

    def holding(self, colour: int) -> set[Cell]:
        return {
            cell
            for cell, stack in enumerate(self.d["stacks"])
            if any(muglu[0] == colour for muglu in stack)
        }

    def groups(self, colour: int) -> list[Group]:
        return self.parts(self.holding(colour))

    def size(self, colour: int, group: Group) -> int:
        return sum(m[0] == colour for cell in group for m in self.d["stacks"][cell])

    def empty(self) -> set[Cell]:
        return {cell for cell in self.tiles() if not self.d["stacks"][cell]}

    def next_to(self, cells: set[Cell]) -> set[Cell]:
        return self.empty() & {other for cell in cells for other in self.neighbours(cell)}

    def placed(self, seat: int) -> int:
        left: list[int] = self.d["reserve"][seat]
        return 9 - sum(left)

    # -- legal steps ---------------------------------------------------------------------------

    def room(self, seat: int) -> set[Cell]:
        """Where a seat may place now."""
        everything = set(range(len(self.d["stacks"]))) - self.empty()
        if self.d["phase"] == "neutral":
            neutral = self.holding(self.d["players"])
            return self.next_to(neutral) if neutral else self.empty()
        if self.d["phase"] == "opening" and self.placed(seat) == 0:
            return self.next_to(everything) if everything else self.empty()
        return self.next_to(self.holding(seat))

    def places_of(self, seat: int) -> Iterator[list[Any]]:
        key = "neutral_reserve" if self.d["phase"] == "neutral" else "reserve"
        verb = "neutral" if self.d["phase"] == "neutral" else "place"
        for kind, count in zip("GDT", self.d[key][seat], strict=True):
            for cell in self.room(seat) if count else ():
                yield [verb, kind, cell]

    def moves_of(self, seat: int) -> Iterator[list[Any]]:
        stacks = self.d["stacks"]
        for start, stack in enumerate(stacks):
            if not stack or stack[-1][0] != seat:
                continue
            for count in range(1, len(stack) + 1):
                for goal in {cell for line in self.lines(start) for cell in line}:
                    kinds = "".join(kind for _, kind in stacks[goal] + stack[-count:])
                    if kinds in TOWERS and self.stays_one(seat, start, count, goal):
                        yield ["move", start, count, goal]

    def stays_one(self, seat: int, start: int, count: int, goal: int) -> bool:
        before = self.d["stacks"]
        self.d["stacks"] = list(before)
        self.lift(start, count, goal)
        one = len(self.groups(seat)) <= 1
        self.d["stacks"] = before
        return one

    def lift(self, start: int, count: int, goal: int) -> None:
        stack = self.d["stacks"][start]
        self.d["stacks"][goal] = self.d["stacks"][goal] + stack[-count:]
        self.d["stacks"][start] = stack[:-count]

    def meltable(self) -> list[Cell]:
        tiles = self.tiles()
        return [
            cell
            for cell in sorted(self.empty())
            if len(self.neighbours(cell)) < 6 and len(self.parts(tiles - {cell})) == 1
        ]

    def split(self) -> tuple[int, list[Group]] | None:
        """The first colour that is in more than one group, and its largest groups."""
        for colour in range(self.d["players"] + self.neutrals):
            groups = self.groups(colour)
            if colour != self.d["to_move"] and len(groups) > 1:
                most = max(self.size(colour, group) for group in groups)
                return colour, [g for g in groups if self.size(colour, g) == most]
        return None

    def legal(self) -> list[list[Any]]:
        seat, owes = self.d["to_move"], self.d["owes"]
        if seat is None:
            return []
        if owes == "melt":
            return [["melt", cell] for cell in self.meltable()]
        if owes == "keep":
            found = self.split()
            assert found is not None
            return sorted(["keep", found[0], min(group)] for group in found[1])
        if self.d["phase"] != "main":
            return sorted(self.places_of(seat))
        return sorted([*self.places_of(seat), *self.moves_of(seat), ["retire"]])

    # -- effects -------------------------------------------------------------------------------

    def apply(self, step: list[Any]) -> None:
        verb, *rest = step
        seat = self.d["to_move"]
        if verb in ("place", "neutral"):
            kind, cell = rest
            key = "neutral_reserve" if verb == "neutral" else "reserve"
            self.d[key][seat]["GDT".index(kind)] -= 1
            colour = self.d["players"] if verb == "neutral" else seat
            self.d["stacks"][cell] = [[colour, kind]]
            self.pass_on(seat)
        elif verb == "move":
            self.lift(*rest)
            self.after_move(seat)
        elif verb == "keep":
            self.take(rest[0], next(g for g in self.groups(rest[0]) if rest[1] in g))
            self.after_move(seat)
        elif verb == "melt":
            self.d["ice"][rest[0]] = 0
            self.d["melted"][seat] += 1
            self.pass_on(seat)
        else:
            self.d["out"][seat] = True
            self.pass_on(seat)
        self.count_points()

    def take(self, colour: int, stays: Group) -> None:
        for cell in self.holding(colour) - stays:
            stack = self.d["stacks"][cell]
            left = [muglu for muglu in stack if muglu[0] != colour]
            self.d["taken"][self.d["to_move"]] += len(stack) - len(left)
            if [kind for _, kind in left] == ["T", "G"]:
                left.reverse()
            self.d["stacks"][cell] = left

    def after_move(self, seat: int) -> None:
        self.d["owes"] = None
        while (found := self.split()) is not None:
            colour, largest = found
            if len(largest) > 1:
                self.d["owes"] = "keep"
                return
            self.take(colour, largest[0])
        if sum(self.d["reserve"][seat]) == 0:
            if self.meltable():
                self.d["owes"] = "melt"
                return
            self.d["out"][seat] = True
        self.pass_on(seat)

    def forfeit(self, seat: int) -> None:
        self.d["forfeited"].append(seat)
        self.d["out"][seat] = True
        if len(self.d["forfeited"]) == self.d["players"] - 1 or all(self.d["out"]):
            self.end()
        elif seat == self.d["to_move"]:
            self.pass_on(seat)
        self.count_points()

    def end(self) -> None:
        self.d.update(phase="over", to_move=None, owes=None)

    def count_points(self) -> None:
        for seat in range(self.d["players"]):
            tiles = sum(bool(stack) and stack[-1][0] == seat for stack in self.d["stacks"])
            self.d["points"][seat] = tiles + self.d["taken"][seat] + self.d["melted"][seat]

    # -- whose turn ----------------------------------------------------------------------------

    def pass_on(self, seat: int) -> None:
        self.d["owes"] = None
        players = self.d["players"]
        if self.d["phase"] == "neutral":
            for step in range(1, players + 1):
                other = (seat + step) % players
                if not self.d["out"][other] and sum(self.d["neutral_reserve"][other]):
                    self.d["to_move"] = other
                    return
            self.d["phase"], seat = "opening", -1
            self.opening_round = 1
        if self.d["phase"] == "opening":
            while self.opening_round <= 2:
                for other in range(seat + 1, players):
                    self.d["to_move"] = other
                    if not self.d["out"][other] and self.room(other):
                        return
                seat = -1
                self.opening_round += 1
            self.d.update(phase="main", round=1)
        self.pass_on_main(seat)

    def pass_on_main(self, seat: int) -> None:
        while not all(self.d["out"]):
            seat += 1
            if seat == self.d["players"]:
                if self.d["round"] == self.d["round_limit"]:
                    break
                seat = 0
                self.d["round"] += 1
            if self.d["out"][seat]:
                continue
            self.d["to_move"] = seat
            left = sum(m[0] == seat for stack in self.d["stacks"] for m in stack)
            spent = self.placed(seat) >= 2 and left <= 1
            if not spent and (any(self.places_of(seat)) or any(self.moves_of(seat))):
                return
            self.d["out"][seat] = True
        self.end()

    def ranking(self) -> tuple[int, ...]:
        def worth(seat: int) -> tuple[int, int]:
            if seat in self.d["forfeited"]:
                return 0, self.d["forfeited"].index(seat)
            return 1, self.d["points"][seat]

        seats = range(self.d["players"])
        return tuple(1 + sum(worth(other) > worth(seat) for other in seats) for seat in seats)
