"""The game: how matches are set up, and how positions are read back and shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from polynya_example_games.snakes.board import LEAST_SIZE, MOST_SIZE
from polynya_example_games.snakes.document import LIMITS, is_size, read_state
from polynya_example_games.snakes.encoding import encoding
from polynya_example_games.snakes.grid import grid_of
from polynya_example_games.snakes.state import Rules, SnakesState, new_match
from polynya_games import Game, InvalidOption, Option
from polynya_games.boards import Board
from polynya_games.chance import NO_DEAL
from polynya_games.encoding import Encoding
from polynya_games.errors import describe
from polynya_games.refusals import COMMON, refusal

USUAL_SIZE: Final = 11
USUAL: Final = Rules()
RULES: Final = {"en": Path(__file__).with_name("rules.md").read_text(encoding="utf-8")}
MEANINGS: Final = {
    "minimum_food": "food that is always on the board",
    "food_chance": "the chance of one more food after a turn, in per cent",
    "turn_limit": "the match ends after this turn",
}


class Snakes(Game):
    """Snakes on a square board."""

    name = "snakes"
    title = "Snakes"
    max_players = 8
    renderer = Path(__file__).with_name("renderer.js").read_text(encoding="utf-8")
    options = (
        Option(
            "size",
            USUAL_SIZE,
            f"the fields each way, an odd number from {LEAST_SIZE} to {MOST_SIZE}",
        ),
        *[
            Option(name, getattr(USUAL, name), f"{MEANINGS[name]}, {least} to {most}")
            for name, (least, most) in LIMITS.items()
        ],
    )
    joint = True
    has_view = True
    secret_seed = True
    rules = RULES

    def setup(
        self, players: int, deal: bytes = NO_DEAL, options: Mapping[str, Any] | None = None
    ) -> SnakesState:
        """The snakes at their starts, with the first food."""
        given = options or {}
        self.check_setup(players, deal, given)
        size = given.get("size", USUAL_SIZE)
        if not is_size(size):
            raise InvalidOption(
                f"size is an odd number from {LEAST_SIZE} to {MOST_SIZE}, not {describe(size)}"
            )
        values = {name: given.get(name, getattr(USUAL, name)) for name in LIMITS}
        for name, (least, most) in LIMITS.items():
            value = values[name]
            if type(value) is not int or not least <= value <= most:
                raise refusal(
                    InvalidOption,
                    COMMON,
                    "out_of_range",
                    key=name,
                    least=least,
                    most=most,
                    value=describe(value),
                )
        return new_match(players, size, Rules(**values), deal)

    def state_from_json(self, data: object) -> SnakesState:
        """The position of a document; what cannot be is refused."""
        return read_state(data, range(self.min_players, self.max_players + 1))

    def scores_so_far(self, state: SnakesState) -> tuple[int, ...]:
        """The turns survived, which everybody sees."""
        return state.scores

    def board(self, document: Mapping[str, Any]) -> Board:
        """The board as a grid: bodies in one piece, heads with the seat's number, golden food."""
        return grid_of(document)

    def board_rows(self, document: Mapping[str, Any]) -> list[str]:
        """The board, heads in upper case, bodies in lower case and food as ``*``; then the snakes.

        Seat 0 has the letter A, seat 1 the letter B and so on.
        """
        size = document["size"]
        cells = {tuple(point): "*" for point in document["food"]}
        for seat, snake in enumerate(document["snakes"]):
            for place, (x, y) in reversed([*enumerate(snake["body"])]):
                cells[x, y] = _letter(seat) if place == 0 else _letter(seat).lower()
        rows = [
            " ".join(cells.get((x, y), ".") for x in range(size)) for y in reversed(range(size))
        ]
        rows.append(f"turn {document['turn']}")
        return rows + [_snake_row(seat, snake) for seat, snake in enumerate(document["snakes"])]

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """For training bots: the board field by field."""
        state = self.setup(players, NO_DEAL, options)
        return encoding(players, state.board.size, state.rules.turn_limit)


def _letter(seat: int) -> str:
    return chr(ord("A") + seat)


def _snake_row(seat: int, snake: Mapping[str, Any]) -> str:
    """A snake in a line of text."""
    if (out := snake["out"]) is not None:
        return f"{_letter(seat)} seat {seat}  out in turn {out['turn']}: {out['cause']}"
    return f"{_letter(seat)} seat {seat}  length {len(snake['body'])}, health {snake['health']}"


SNAKES = Snakes()
