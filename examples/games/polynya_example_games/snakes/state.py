"""Positions: the snakes and the food, and what a joint turn makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from polynya_example_games.joint import JointPosition
from polynya_example_games.snakes.board import DIRECTIONS, Board, board_of
from polynya_games import IllegalStep, Outcome, Step, Termination
from polynya_games.chance import Chance
from polynya_games.errors import describe
from polynya_games.ranking import joint_ranking
from polynya_games.steps import Forms
from polynya_games.turns import check_leaver, check_leavers, checked_answers, ends_without_turn

FORMS: Final = Forms({"move": {"direction": str}})
MOVES: Final[tuple[Step, ...]] = tuple(("move", direction) for direction in DIRECTIONS)
FULL_HEALTH: Final = 100
FIRST_PARTS: Final = 3
CAUSES: Final = ("body", "forfeit", "head", "health", "self", "wall")


class Out(msgspec.Struct, frozen=True):
    """How a snake went out.

    Attributes:
        cause: one of ``CAUSES``.
        turn: the number of the turn, from 1.
    """

    cause: str
    turn: int


class Snake(msgspec.Struct, frozen=True):
    """A snake.

    Attributes:
        body: its fields from the head on, as numbers of the board; empty if it is out.
        health: from 100 down to 1; a snake that is out keeps its last health.
        out: how it went out, None if it lives.
    """

    body: tuple[int, ...]
    health: int = FULL_HEALTH
    out: Out | None = None

    def taken_off(self, cause: str, turn: int) -> Snake:
        """The snake after it went out."""
        return Snake((), self.health, Out(cause, turn))


class Rules(msgspec.Struct, frozen=True):
    """The options that count in every turn.

    Attributes:
        minimum_food: if less food than this is on the board, the rest of it comes.
        food_chance: else, the chance that one food comes, in per cent.
        turn_limit: the match ends after this turn.
    """

    minimum_food: int = 1
    food_chance: int = 15
    turn_limit: int = 1_000


class SnakesState(JointPosition, frozen=True, kw_only=True):
    """A position.

    Attributes:
        board: the fields.
        snakes: the snake of each seat.
        food: the fields with food, ascending.
        rules: the options that count in every turn.
        turn: the turns that have been played.
    """

    forms = FORMS
    board: Board
    snakes: tuple[Snake, ...]
    food: tuple[int, ...]
    rules: Rules
    turn: int = 0

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.snakes)

    @property
    def staying(self) -> tuple[int, ...]:
        """The seats whose snakes live."""
        return tuple([seat for seat, snake in enumerate(self.snakes) if snake.out is None])

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats whose snakes live; none when the match is over."""
        staying = self.staying
        return () if len(staying) < 2 or self.turn >= self.rules.turn_limit else staying

    @property
    def scores(self) -> tuple[int, ...]:
        """Per seat the turns that its snake has survived."""
        return tuple(
            [self.turn if snake.out is None else snake.out.turn - 1 for snake in self.snakes]
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; the scores are the turns survived."""
        if self.acting:
            return None
        return Outcome(self._termination(), joint_ranking(self._results(), self.gone), self.scores)

    def _termination(self) -> Termination:
        if len(self.forfeited) >= self.players - 1:
            return Termination.FORFEIT
        return Termination.LIMIT if len(self.staying) > 1 else Termination.FINISHED

    def _results(self) -> list[tuple[bool, int]]:
        """Per seat: who lives is first, by length; then who went out later."""
        return [
            (True, len(snake.body)) if snake.out is None else (False, snake.out.turn)
            for snake in self.snakes
        ]

    def legal_steps(self, seat: int | None = None) -> list[Step]:
        """All four directions; without a seat those of the least acting one."""
        chosen = self.to_move if seat is None else seat
        return [*MOVES] if chosen is not None and chosen in self.acting else []

    def checked_step(self, seat: int, step: object) -> Step:
        """A seat's move of any form, checked.

        Raises:
            InvalidStep: it is not of the form ``["move", direction]``.
            IllegalStep: there is no such direction.
        """
        del seat
        checked = FORMS.read(step)
        if checked not in MOVES:
            raise IllegalStep(f"the directions are {describe(DIRECTIONS)}")
        return checked

    def apply_joint(
        self, steps: Mapping[int, object], forfeited: Sequence[int] = ()
    ) -> SnakesState:
        """The position after a turn.

        Raises:
            InvalidStep: a step is not of the form ``["move", direction]``.
            IllegalStep: there is no such direction, or an answer is missing or too many.
            IllegalForfeit: a seat that leaves is not in the match.
        """
        leaving = check_leavers(self, forfeited)
        if ends_without_turn(self, steps, leaving):
            return self._without(leaving)
        answers = checked_answers(self, steps, leaving)
        after = self._without(leaving) if leaving else self
        return after._moved({seat: str(step[1]) for seat, step in answers.items()})

    def forfeit(self, seat: object) -> SnakesState:
        """The position after a forfeit between turns; its turn is the one in play."""
        return self._without((check_leaver(self, seat),))

    def _without(self, leaving: tuple[int, ...]) -> SnakesState:
        """The position in which some seats have forfeited, before anything else happens."""
        snakes = [
            snake.taken_off("forfeit", self.turn + 1) if seat in leaving else snake
            for seat, snake in enumerate(self.snakes)
        ]
        return replace(self, snakes=tuple(snakes), gone=(*self.gone, leaving))

    def _moved(self, directions: Mapping[int, str]) -> SnakesState:
        """The position after the moves of all that live (rules.md, "A joint turn")."""
        snakes, deltas, food = list(self.snakes), self.board.deltas, self.food
        eaten = set()
        for seat, direction in directions.items():
            snake = snakes[seat]
            head = snake.body[0] + deltas[direction]
            body = (head, *snake.body[:-1])
            if head in food:
                eaten.add(head)
                snakes[seat] = Snake((*body, body[-1]))
            else:
                snakes[seat] = Snake(body, snake.health - 1)
        for seat, cause in [*self._causes({seat: snakes[seat] for seat in directions})]:
            snakes[seat] = snakes[seat].taken_off(cause, self.turn + 1)
        if eaten:
            food = tuple([field for field in food if field not in eaten])
        chance = Chance(self.deal, self.drawn)
        return replace(
            self,
            turn=self.turn + 1,
            snakes=tuple(snakes),
            food=self._with_new_food(food, snakes, chance),
            drawn=chance.drawn,
        )

    def _causes(self, moved: dict[int, Snake]) -> Iterator[tuple[int, str]]:
        """The seats that go out, each with its cause."""
        inside = self.board.inside
        left = {}
        for seat, snake in moved.items():
            if snake.health <= 0:
                yield seat, "health"
            elif snake.body[0] not in inside:
                yield seat, "wall"
            else:
                left[seat] = snake.body
        parts = {field for body in left.values() for field in body[1:]}
        heads = [body[0] for body in left.values()]
        for seat, body in left.items():
            if body[0] in parts or heads.count(body[0]) > 1:
                others = [other for place, other in left.items() if place != seat]
                if (cause := _collision(body, others)) is not None:
                    yield seat, cause

    def _with_new_food(
        self, food: tuple[int, ...], snakes: Sequence[Snake], chance: Chance
    ) -> tuple[int, ...]:
        """The food of the next turn, ascending."""
        missing = self.rules.minimum_food - len(food)
        if missing <= 0:
            missing = int(chance.below(100) < self.rules.food_chance)
        if not missing:
            return food
        taken = set(food)
        for snake in snakes:
            taken.update(snake.body)
            if snake.body:
                taken.update(self.board.neighbours(snake.body[0]))
        free = [field for field in self.board.fields if field not in taken]
        return tuple(sorted([*food, *drawn_fields(chance, free, missing)]))

    def to_json(self) -> dict[str, Any]:
        """The whole position (rules.md, "State")."""
        points = self.board.points
        return {
            "size": self.board.size,
            "turn": self.turn,
            "snakes": [
                {
                    "body": points(snake.body),
                    "health": snake.health,
                    "out": None if snake.out is None else msgspec.structs.asdict(snake.out),
                }
                for snake in self.snakes
            ],
            "food": points(self.food),
            "options": msgspec.structs.asdict(self.rules),
            "deal": self.deal.hex(),
            "drawn": self.drawn,
            "forfeited": [list(group) for group in self.gone],
        }


def _collision(body: tuple[int, ...], others: Sequence[tuple[int, ...]]) -> str | None:
    """Why a snake goes out by its own body or by others; None if it stays."""
    head = body[0]
    if head in body[1:]:
        return "self"
    if any(head in other[1:] for other in others):
        return "body"
    if any(head == other[0] and len(body) <= len(other) for other in others):
        return "head"
    return None


def drawn_fields(chance: Chance, free: list[int], count: int) -> list[int]:
    """Some of the fields, each equally likely; all of them if there are no more."""
    left = [*free]
    return [left.pop(chance.below(len(left))) for _ in range(min(count, len(left)))]


def new_match(players: int, size: int, rules: Rules, deal: bytes) -> SnakesState:
    """The initial position (rules.md, "Set-up")."""
    board, chance = board_of(size), Chance(deal)
    corners, sides = board.corners(), board.sides()
    chance.shuffle(corners)
    chance.shuffle(sides)
    starts = [*corners, *sides] if chance.below(2) == 0 else [*sides, *corners]
    starts = starts[:players]
    food: list[int] = []
    if players <= 4 or size >= 11:
        for start in starts:
            taken = {*food, *starts, board.middle}
            free = [field for field in board.first_food(start) if field not in taken]
            food += drawn_fields(chance, free, 1)
    return SnakesState(
        board=board,
        snakes=tuple([Snake((start,) * FIRST_PARTS) for start in starts]),
        food=tuple(sorted([*food, board.middle])),
        rules=rules,
        deal=deal,
        drawn=chance.drawn,
    )
