"""Boards that games declare, in a browser: grids, drawings and rows of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.conformance.replay.test_verify_joint_turns import record_of
from tests.games.example_games import example_games
from tests.scripted import Reply
from tests.web.axe import axe_findings
from tests.web.boards.test_boards_in_browser import OPEN
from tests.web.boards.test_viewer_in_browser import open_file
from tests.web.browsing import tab

from polynya_games.boards import EMPTY, SHAPES, TONES, Cell, Drawing, Grid
from polynya_games.packeis import Packeis
from polynya_server.records import MatchRecord
from polynya_web.content.boards.drawn_board import drawn_board

__all__ = ["example_games"]

SHOW = "position => window.board.show({}, position)"
SMALL = """
async (position) => {
  const { createSmallBoard } = await import("/static/small_board.js");
  const match = { game: "any", seats: [{ seat: 0, name: "bot0" }] };
  const small = createSmallBoard(match, window.words);
  document.body.replaceChildren(small.element);
  small.show({ state: { a: 1 }, step: null, seat: null, ...position });
}
"""
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40">'
DRAWING = Drawing(
    f'{HEAD}<g class="seat-1"><circle cx="20" cy="20" r="9" fill="currentColor"/></g>'
    '<text x="40" y="20" text-anchor="end" font-size="9">&lt;b&gt;ü</text></svg>',
    "a stone",
)
GRID = Grid(
    [
        [Cell(index, shape, str(index)) for index, shape in enumerate(SHAPES)],
        [Cell(tone, "disc", ground="dark") for tone in TONES],
        [Cell(1, "square", joins="E"), Cell(1, "square", joins="W"), *[EMPTY] * 6],
    ],
    row_labels=["a", "b", "c"],
    column_labels=[str(column) for column in range(8)],
    title="all kinds of cells",
)


class Shown(Packeis):
    """A game that has the board of a test."""

    def __init__(self, board: Grid | Drawing) -> None:
        self._board = board

    def board(self, _document: object) -> Grid | Drawing:
        return self._board


def position(board: Grid | Drawing) -> Any:
    """A position as the API gives it, with the board of a game."""
    return msgspec.to_builtins(drawn_board(Shown(board), {})._asdict())


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page with nothing but a board."""
    with tab(browser, address) as opened:
        opened.goto("/replay?lang=en")
        opened.evaluate(OPEN, {"module": "plain", "players": 2})
        yield opened


def test_a_grid_is_a_picture_with_a_title(page: Page) -> None:
    page.evaluate(SHOW, position(GRID))
    board = page.get_by_role("img", name="all kinds of cells")
    expect(board).to_be_visible()
    assert board.locator(".grid-piece").count() == 18
    assert board.locator(".grid-ground").count() == 8
    assert board.locator(".grid-text").all_text_contents() == [*"01234567"]
    assert board.locator(".grid-label").all_text_contents() == [*"abc", *"01234567"]


def test_a_drawing_is_shown_with_the_colours_of_seats(page: Page) -> None:
    page.evaluate(SHOW, position(GRID))
    fill = "element => getComputedStyle(element).fill"
    colour = page.locator(".grid-piece.seat-1 > *").first.evaluate(fill)
    page.evaluate(SHOW, position(DRAWING))
    board = page.get_by_role("img", name="a stone")
    assert board.locator("circle").evaluate(fill) == colour
    assert board.locator("text").text_content() == "<b>ü"
    assert board.locator("text").evaluate("one => getComputedStyle(one).textAnchor") == "end"


def test_a_board_is_there_as_text_too(page: Page) -> None:
    page.evaluate(SHOW, position(GRID))
    page.get_by_text("As text").click()
    expect(page.locator("details .text-board")).to_contain_text("a  0 1 2 3 4 5 6 7")


def test_rows_of_text_are_the_board_of_other_games(page: Page) -> None:
    page.evaluate(SHOW, {"rows": ["<b>x</b>", "y"], "board": None})
    assert page.locator(".plain-state .text-board").text_content() == "<b>x</b>\ny"
    expect(page.get_by_text("As text")).to_be_hidden()


@pytest.mark.parametrize("board", [GRID, DRAWING], ids=["grid", "drawing"])
def test_small_boards_show_what_games_declare(page: Page, board: Grid | Drawing) -> None:
    page.evaluate(SMALL, position(board))
    expect(page.locator(".small-board .board-drawing")).to_be_visible()


def test_small_boards_show_rows_of_text_and_no_document(page: Page) -> None:
    page.evaluate(SMALL, {"rows": ["x . y"], "board": None})
    expect(page.locator(".small-board .text-board")).to_be_visible()
    page.evaluate(SMALL, {"rows": None, "board": None})
    expect(page.locator(".small-board")).to_be_hidden()


def snakes() -> MatchRecord:
    """Four snakes that all go up until the wall comes."""
    moves = [Reply([["move", "up"]], 20)] * 12
    return record_of(moves, moves, moves, moves, game="snakes", options={"size": 11})


@pytest.mark.parametrize("width", [390, 1440])
def test_a_match_with_joint_turns_is_shown_on_a_grid(
    browser: Browser, address: str, width: int
) -> None:
    with tab(browser, address, viewport={"width": width, "height": 900}) as page:
        page.goto("/replay?lang=en")
        open_file(page, snakes())
        page.get_by_role("button", name="Plain board").click()
        page.keyboard.press("Home")
        expect(page.get_by_role("img", name="turn 0; snakes that live: 0, 1, 2, 3")).to_be_visible()
        assert sorted(page.locator(".grid-text").all_text_contents()) == ["0", "1", "2", "3"]
        assert axe_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
