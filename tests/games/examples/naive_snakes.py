"""Snakes once more, written from rules.md alone, with points and documents in place of numbers.

It plays a turn up to the food that comes; which food may come it says as a set of fields.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

Point = tuple[int, int]
Document = dict[str, Any]

STEP = {"up": (0, 1), "down": (0, -1), "right": (1, 0), "left": (-1, 0)}


def starts(size: int) -> tuple[set[Point], set[Point]]:
    """The corners and the sides."""
    low, middle, high = 1, (size - 1) // 2, size - 2
    corners = {(low, low), (low, high), (high, low), (high, high)}
    return corners, {(low, middle), (high, middle), (middle, low), (middle, high)}


def food_of_start(size: int, start: Point) -> set[Point]:
    """Where the food of a snake can come in the set-up."""
    middle = (size - 1) // 2
    found = set()
    for way in itertools.product((-1, 1), repeat=2):
        point = (start[0] + way[0], start[1] + way[1])
        offsets = [(start[i] - middle, point[i] - middle) for i in (0, 1)]
        further = [a * b > 0 and abs(b) > abs(a) for a, b in offsets]
        corner = all(coordinate in (0, size - 1) for coordinate in point)
        if any(further) and not corner:
            found.add(point)
    return found


def moved(before: Document, directions: Mapping[int, str], leaving: list[int]) -> Document:
    """The document after a turn, without new food, and without deal and drawn."""
    turn, size = before["turn"] + 1, before["size"]
    snakes = [dict(snake) for snake in before["snakes"]]
    for seat in leaving:
        snakes[seat] |= {"body": [], "out": {"cause": "forfeit", "turn": turn}}
    living = [seat for seat, snake in enumerate(snakes) if snake["out"] is None]
    for seat in living:
        x, y = snakes[seat]["body"][0]
        across, upwards = STEP[directions[seat]]
        snakes[seat]["body"] = [[x + across, y + upwards], *snakes[seat]["body"][:-1]]
        snakes[seat]["health"] -= 1
    heads = [snakes[seat]["body"][0] for seat in living]
    for seat in living:
        if snakes[seat]["body"][0] in before["food"]:
            snakes[seat]["health"] = 100
            snakes[seat]["body"] = [*snakes[seat]["body"], snakes[seat]["body"][-1]]
    causes: dict[int, str] = {}
    for seat in living:
        if snakes[seat]["health"] <= 0:
            causes[seat] = "health"
        elif not all(0 <= coordinate < size for coordinate in snakes[seat]["body"][0]):
            causes[seat] = "wall"
    left = [seat for seat in living if seat not in causes]
    causes |= {seat: cause for seat in left if (cause := collision(snakes, left, seat))}
    for seat, cause in causes.items():
        snakes[seat] |= {"body": [], "out": {"cause": cause, "turn": turn}}
    return {
        **{key: before[key] for key in ("size", "options")},
        "turn": turn,
        "snakes": snakes,
        "food": [point for point in before["food"] if point not in heads],
        "forfeited": before["forfeited"] + ([sorted(leaving)] if leaving else []),
    }


def collision(snakes: list[Document], left: list[int], seat: int) -> str:
    """Why a snake goes out by rule 6; empty if it does not."""
    head, *own = snakes[seat]["body"]
    others = [snakes[other]["body"] for other in left if other != seat]
    if head in own:
        return "self"
    if any(head in other[1:] for other in others):
        return "body"
    if any(head == other[0] and len(other) >= 1 + len(own) for other in others):
        return "head"
    return ""


def new_food(document: Document) -> tuple[set[int], set[Point]]:
    """How many foods can come in the position after a turn, and on which fields."""
    size, options = document["size"], document["options"]
    free = {(x, y) for x in range(size) for y in range(size)}
    free -= {(x, y) for x, y in document["food"]}
    for snake in document["snakes"]:
        free -= {(x, y) for x, y in snake["body"]}
        for x, y in snake["body"][:1]:
            free -= {(x + across, y + upwards) for across, upwards in STEP.values()}
    missing = options["minimum_food"] - len(document["food"])
    if missing > 0:
        counts = {missing}
    else:
        chance = options["food_chance"]
        counts = {0} if chance == 0 else {1} if chance == 100 else {0, 1}
    return {min(count, len(free)) for count in counts}, free


def result(document: Document) -> tuple[list[int], list[int]] | None:
    """The ranking and the scores; None while the match goes on."""
    snakes, groups = document["snakes"], document["forfeited"]
    living = [seat for seat, snake in enumerate(snakes) if snake["out"] is None]
    if len(living) > 1 and document["turn"] < document["options"]["turn_limit"]:
        return None
    scores = [
        document["turn"] if snake["out"] is None else snake["out"]["turn"] - 1 for snake in snakes
    ]
    tiers: list[list[int]] = [list(group) for group in groups]
    by_rules = [seat for seat in range(len(snakes)) if not any(seat in group for group in groups)]

    def worth(seat: int) -> tuple[int, int]:
        snake = snakes[seat]
        return (1, len(snake["body"])) if seat in living else (0, snake["out"]["turn"])

    for _, equals in itertools.groupby(sorted(by_rules, key=worth), key=worth):
        tiers.append(list(equals))
    ranking, rank = [1] * len(snakes), 1
    for tier in reversed(tiers if by_rules else []):
        for seat in tier:
            ranking[seat] = rank
        rank += len(tier)
    return ranking, scores
