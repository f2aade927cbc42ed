"""Packeis against an independent, slow and obvious implementation of the same rules.

``Naive`` keeps sets and dictionaries, walks every ray step by step and removes unreachable floes
as soon as the rules say so. Random play with forfeits must look the same in both.
"""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.perft_files import perft_counts

from polynya_games import IllegalStep
from polynya_games.packeis import PACKEIS, PackeisState

USUAL_ROWS = [[7, 1], [8, 0]] * 4
QUOTA = {2: 4, 3: 3, 4: 2}
WALKS = ((0, 2), (0, -2), (-1, -1), (-1, 1), (1, -1), (1, 1))
Place = tuple[int, int]


def places_of(rows: list[Any]) -> dict[int, Place]:
    """Row and x of each cell, by the rules, Arktia, "Geometry"."""
    found = [
        (row, indent + 2 * position)
        for row, given in enumerate(rows)
        for length, indent in (given if isinstance(given[0], list) else [given])
        for position in range(length)
    ]
    return dict(enumerate(found))


class Naive:
    def __init__(self, players: int, fish: list[int], rows: list[Any] | None = None) -> None:
        self.players = players
        self.rows = rows
        self.places = places_of(USUAL_ROWS if rows is None else rows)
        self.cells = {place: cell for cell, place in self.places.items()}
        self.fish = dict(enumerate(fish))
        self.penguins: list[set[int]] = [set() for _ in range(players)]
        self.fish_caught = [0] * players
        self.floes_caught = [0] * players
        self.out = [False] * players
        self.forfeited: list[int] = []
        self.phase = "placement"
        self.to_move: int | None = 0

    def walk(self, cell: int, way: Place) -> int | None:
        row, x = self.places[cell]
        return self.cells.get((row + way[0], x + way[1]))

    def free(self, cell: int | None) -> bool:
        return cell in self.fish and not any(cell in own for own in self.penguins)

    def moves(self, seat: int) -> list[tuple[str, int, int]]:
        found = []
        for origin in self.penguins[seat]:
            for direction in WALKS:
                target = self.walk(origin, direction)
                while target is not None and self.free(target):
                    found.append(("move", origin, target))
                    target = self.walk(target, direction)
        return sorted(found)

    def legal(self) -> list[Any]:
        if self.to_move is None:
            return []
        if self.phase == "movement":
            return self.moves(self.to_move)
        return [("place", cell) for cell in range(60) if self.free(cell) and self.fish[cell] == 1]

    def apply(self, step: Any) -> None:
        assert self.to_move is not None
        seat = self.to_move
        if step[0] == "place":
            self.penguins[seat].add(step[1])
            self.ask_to_place(seat)
            return
        self.penguins[seat].remove(step[1])
        self.penguins[seat].add(step[2])
        self.collect(seat, step[1])
        self.remove_unreachable()
        self.ask_to_move(seat + 1)

    def collect(self, seat: int, cell: int) -> None:
        self.fish_caught[seat] += self.fish.pop(cell)
        self.floes_caught[seat] += 1

    def remove_unreachable(self) -> None:
        reached = set().union(*self.penguins)
        waiting = list(reached)
        while waiting:
            here = waiting.pop()
            for direction in WALKS:
                there = self.walk(here, direction)
                if there is not None and there not in reached and self.free(there):
                    reached.add(there)
                    waiting.append(there)
        self.fish = {cell: fish for cell, fish in self.fish.items() if cell in reached}

    def ask_to_place(self, seat: int) -> None:
        for _ in range(self.players):
            seat = (seat + 1) % self.players
            if not self.out[seat] and len(self.penguins[seat]) < QUOTA[self.players]:
                self.to_move = seat
                return
        self.phase = "movement"
        self.ask_to_move(0)

    def ask_to_move(self, first: int) -> None:
        for distance in range(self.players):
            seat = (first + distance) % self.players
            if self.out[seat]:
                continue
            if self.moves(seat):
                self.to_move = seat
                return
            for cell in self.penguins[seat]:
                self.collect(seat, cell)
            self.penguins[seat] = set()
            self.out[seat] = True
            self.remove_unreachable()
        self.phase, self.to_move = "over", None

    def forfeit(self, seat: int) -> None:
        for cell in self.penguins[seat]:
            del self.fish[cell]
        self.penguins[seat] = set()
        self.out[seat] = True
        self.forfeited.append(seat)
        if self.phase == "movement":
            self.remove_unreachable()
        if len(self.forfeited) == self.players - 1:
            self.phase, self.to_move = "over", None
        elif seat == self.to_move and self.phase == "placement":
            self.ask_to_place(seat)
        elif seat == self.to_move:
            self.ask_to_move(seat + 1)

    def to_json(self) -> dict[str, Any]:
        shown = {} if self.rows is None else {"rows": self.rows}
        return {
            **shown,
            "game": "packeis",
            "players": self.players,
            "phase": self.phase,
            "to_move": self.to_move,
            "fish": [self.fish.get(cell, 0) for cell in range(60)],
            "penguins": [sorted(own) for own in self.penguins],
            "fish_caught": self.fish_caught,
            "floes_caught": self.floes_caught,
            "out": self.out,
            "forfeited": self.forfeited,
        }

    def ranking(self) -> list[int]:
        def key(seat: int) -> tuple[int, ...]:
            if seat in self.forfeited:
                return (0, self.forfeited.index(seat), 0)
            return (1, self.fish_caught[seat], self.floes_caught[seat])

        keys = [key(seat) for seat in range(self.players)]
        return [1 + sum(other > mine for other in keys) for mine in keys]


def naive_perft(naive: Naive, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for step in naive.legal():
        after = copy.deepcopy(naive)
        after.apply(step)
        total += naive_perft(after, depth - 1)
    return total


def assert_same(state: PackeisState, naive: Naive) -> None:
    assert naive.to_json() == state.to_json()
    assert naive.legal() == state.legal_steps()


BOARDS: list[list[Any]] = [
    USUAL_ROWS,
    [[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]],
    [[8, 2], [[4, 1], [4, 11]], [[4, 0], [4, 12]], [[4, 1], [4, 11]], [9, 0], [9, 1], [10, 0]],
    [[60, 0]],
    [[1, row % 2] for row in range(60)],
    [[[10, 0], [10, 22]], [20, 1], [[5, 0], [5, 14], [10, 30]]],
]
OPTIONS = st.one_of(
    st.just({}),
    st.just({"layout": "even"}),
    st.fixed_dictionaries({"rows": st.sampled_from(BOARDS)}),
    st.fixed_dictionaries(
        {"fish": st.permutations([1] * 9 + [2] * 20 + [3] * 31)},
        optional={"rows": st.sampled_from(BOARDS)},
    ),
)


@given(
    players=st.integers(2, 4),
    seed=st.integers(0, 2**64 - 1),
    options=OPTIONS,
    forfeits=st.sampled_from([0.0, 0.01, 0.1]),
    choices=st.integers(0, 2**32),
)
@settings(max_examples=300)
def test_random_play_with_forfeits_is_the_same(
    players: int, seed: int, options: dict[str, Any], forfeits: float, choices: int
) -> None:
    generator = random.Random(choices)
    state = PACKEIS.setup(players, seed, options)
    naive = Naive(players, state.to_json()["fish"], options.get("rows"))
    assert_same(state, naive)
    while state.to_move is not None:
        if generator.random() < forfeits:
            seat = generator.choice([seat for seat in range(players) if not state.out[seat]])
            state = state.forfeit(seat)
            naive.forfeit(seat)
        else:
            step = generator.choice(state.legal_steps())
            state = state.apply(step)
            naive.apply(step)
        assert_same(state, naive)
        assert state == PACKEIS.state_from_json(state.to_json())
    outcome = state.outcome
    assert outcome is not None
    assert naive.ranking() == list(outcome.ranking)
    assert naive.fish_caught == list(outcome.scores)


@given(
    players=st.integers(2, 4),
    seed=st.integers(0, 2**64 - 1),
    steps=st.integers(0, 40),
    choices=st.integers(0, 2**32),
)
@settings(max_examples=25)
def test_every_other_step_is_illegal(players: int, seed: int, steps: int, choices: int) -> None:
    generator = random.Random(choices)
    state = PACKEIS.setup(players, seed)
    for _ in range(steps):
        if state.to_move is not None:
            state = state.apply_legal(generator.choice(state.legal_steps()))
    legal = set(state.legal_steps())
    for origin in range(60):
        for step in (("place", origin), *(("move", origin, target) for target in range(60))):
            if step not in legal:
                with pytest.raises(IllegalStep, match=r"\w"):
                    state.apply(step)


def naive_from_json(document: dict[str, Any]) -> Naive:
    naive = Naive(document["players"], document["fish"], document.get("rows"))
    naive.fish = {cell: fish for cell, fish in enumerate(document["fish"]) if fish}
    naive.penguins = [set(own) for own in document["penguins"]]
    for key in ("fish_caught", "floes_caught", "out", "forfeited", "phase", "to_move"):
        setattr(naive, key, document[key])
    return naive


def test_naive_rules_give_the_same_perft_counts() -> None:
    shallow = [each for each in perft_counts("packeis") if each.sequences <= 1500]
    expected = {(each.position, each.depth): each.sequences for each in shallow}
    assert expected == {
        (each.position, each.depth): naive_perft(naive_from_json(each.state), each.depth)
        for each in shallow
    }
