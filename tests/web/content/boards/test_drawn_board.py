"""What a page draws of a document; a game that cannot draw costs the page nothing but the board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs
from tests.games.example_games import example_games
from tests.web.records import played

from polynya_games import Game, load
from polynya_games.boards import EMPTY, Board, Cell, Drawing, Grid, Rows
from polynya_games.packeis import Packeis
from polynya_server.records import TurnRecord
from polynya_web.content.boards.board_types import CellKind, DrawingView, GridView
from polynya_web.content.boards.drawn_board import DrawnBoard, drawn_board
from polynya_web.content.frames import Frames
from polynya_web.content.match_types import Frame

__all__ = ["example_games"]

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'


class Shown(Packeis):
    """A game whose board the test says."""

    name = "shown"

    def __init__(self, board: Board | None, rows: list[str] | None = None) -> None:
        self._board, self._rows = board, rows

    def board(self, _document: Mapping[str, Any]) -> Board | None:
        return self._board

    def board_rows(self, _document: Mapping[str, Any]) -> list[str] | None:
        return self._rows


def test_each_look_of_a_grid_is_sent_once() -> None:
    head = Cell(3, "disc", "3", joins="N")
    grid = Grid([[EMPTY, head, EMPTY], [Cell(ground="gold"), EMPTY, head]], ["1", "2"], title="it")
    rows, board = drawn_board(Shown(grid), {})
    assert rows == ["1  . 3 .", "2  g . 3"]
    assert board == GridView(
        cells=[[0, 1, 0], [2, 0, 1]],
        kinds=[CellKind(), CellKind(3, "disc", "3", joins="N"), CellKind(ground="gold")],
        row_labels=["1", "2"],
        column_labels=[],
        title="it",
    )


def test_rows_and_drawings_are_sent_as_they_are() -> None:
    assert drawn_board(Shown(Rows(["a"]), ["b"]), {}) == DrawnBoard(["a"], None)
    assert drawn_board(Shown(None, ["b"]), {}) == DrawnBoard(["b"], None)
    assert drawn_board(Shown(Drawing(SVG, "a stone"), ["b"]), {}) == DrawnBoard(
        ["b"], DrawingView(SVG, "a stone")
    )


class Hostile(Shown):
    """A game whose drawing has a script in it, from a document that a peer wrote."""

    def board(self, document: Mapping[str, Any]) -> Board:
        return Drawing(SVG.replace("/>", f">{document['said']}</svg>"))


def test_a_refused_drawing_leaves_the_rows_and_is_logged_once() -> None:
    game = Hostile(None, ["plain"])
    with capture_logs() as lines:
        for _ in range(3):
            assert drawn_board(game, {"said": "<script/>"}) == DrawnBoard(["plain"], None)
    assert lines == [
        {
            "event": "a game's board cannot be shown",
            "log_level": "warning",
            "game": "shown",
            "method": "board",
            "error": 'InvalidBoard: a drawing has shapes only, and not the element "script"',
        }
    ]


def test_a_game_that_fails_has_no_board() -> None:
    with capture_logs() as lines:
        assert drawn_board(Packeis(), {}) == DrawnBoard(None, None)
        assert drawn_board(Hostile(None), {}) == DrawnBoard(None, None)
    assert [line["error"] for line in lines] == ["KeyError: 'said'"]


def bid(turn: int, seat: int, card: int) -> TurnRecord:
    return TurnRecord(
        turn=turn,
        seat=seat,
        steps=[["bid", card]],
        kernel=True,
        charged_ms=1,
        remaining_ms=[None, None, None],
        loop_delay_us=0,
        queued_us=turn,
        flushed_us=turn,
        first_byte_us=turn,
        last_byte_us=turn,
    )


def counted(game: Game, monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """The documents of which the game is asked for a board from now on."""
    asked: list[Mapping[str, Any]] = []

    def board(_self: Game, document: Mapping[str, Any]) -> Board:
        asked.append(document)
        return Grid([[Cell(0, label=str(document["round"]))]])

    monkeypatch.setattr(type(game), "board", board)
    return asked


def test_the_events_of_a_joint_turn_share_one_board(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("goofspiel")
    asked = counted(game, monkeypatch)
    frames = Frames("goofspiel", game.initial_state(3).to_json())
    for turn in (1, 2):
        frames.follow(*(bid(turn, seat, turn) for seat in range(3)))
    shown = [msgspec.json.decode(bytes(one), type=Frame) for one in frames.frames]
    assert len(shown) == 7
    assert len(asked) == 3
    boards = [one.board.kinds[0].label for one in shown if isinstance(one.board, GridView)]
    assert boards == ["1", "2", "2", "2", "3", "3", "3"]


@pytest.mark.parametrize("game", ["packeis", "arktia", "icecult"])
def test_a_game_with_a_module_of_its_own_needs_no_board(game: str) -> None:
    assert drawn_board(load(game), played(game).state) == DrawnBoard(None, None)
