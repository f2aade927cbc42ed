"""Chess moves in coordinates as standard algebraic notation, against the library chess."""

from __future__ import annotations

import random

import chess
import pytest

from polynya_foreign.adapters.moves import to_san


@pytest.mark.parametrize("seed", range(10))
def test_coordinates_name_the_move_that_the_library_says(seed: int) -> None:
    dice = random.Random(seed)
    compared = 0
    while compared < 1_000:
        board = chess.Board()
        while not board.is_game_over() and board.fullmove_number < 80:
            moves = list(board.legal_moves)
            legal = [board.san(move) for move in moves]
            for move in dice.sample(moves, min(2, len(moves))):
                assert to_san(move.uci(), board.fen(), legal) == board.san(move)
                compared += 1
            board.push(dice.choice(moves))


@pytest.mark.parametrize("seed", range(3))
def test_coordinates_of_no_legal_move_name_none(seed: int) -> None:
    dice = random.Random(seed)
    board = chess.Board()
    squares = chess.SQUARE_NAMES
    while not board.is_game_over() and board.fullmove_number < 40:
        legal = [board.san(move) for move in board.legal_moves]
        for _ in range(100):
            text = dice.choice(squares) + dice.choice(squares)
            if text[:2] == text[2:] or chess.Move.from_uci(text) in board.legal_moves:
                continue
            is_castling = board.piece_type_at(chess.parse_square(text[:2])) == chess.KING
            assert is_castling or to_san(text, board.fen(), legal) is None
        board.push(dice.choice(list(board.legal_moves)))
