"""Chess moves in coordinates as standard algebraic notation, by position and legal moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

Square = tuple[int, int]
"""File and rank, from 0."""

_SAN: Final = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)x?([a-h])([1-8])(?:=?([QRBN]))?[+#]*\Z")
_COORDINATES: Final = re.compile(r"([a-h])([1-8])([a-h])([1-8])([qrbn]?)\Z")
_STRAIGHT: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_LINES: Final = {"R": _STRAIGHT, "B": _DIAGONAL, "Q": _STRAIGHT + _DIAGONAL}


def read_board(fen: str) -> dict[Square, str]:
    """The pieces of a position in FEN, by square."""
    board: dict[Square, str] = {}
    for down, row in enumerate(fen.split()[0].split("/")):
        file = 0
        for sign in row:
            if sign.isdigit():
                file += int(sign)
            else:
                board[file, 7 - down] = sign
                file += 1
    return board


def to_san(move: str, fen: str, legal: Iterable[str]) -> str | None:
    """The legal move that coordinates name; None if they name none.

    Args:
        move: ``e2e4``, ``e7e8q``; castling as ``e1g1`` or, as in Chess960, king takes own rook.
        fen: the position.
        legal: the legal moves in standard algebraic notation.
    """
    read = _COORDINATES.match(move)
    if read is None:
        return None
    start, end = _square(read[1], read[2]), _square(read[3], read[4])
    board = read_board(fen)
    piece = board.get(start)
    if piece is None or piece.isupper() != (fen.split()[1] == "w"):
        return None
    legal = list(legal)
    if (castling := _castling(board, start, end)) is not None:
        return next((san for san in legal if san.rstrip("+#") == castling), None)
    wanted = (_name(piece), end, read[5].upper())
    found = [san for san in legal if _fits(san, start, wanted)]
    if len(found) != 1 or not _may_go(board, start, end):
        return None
    return found[0]


def _castling(board: Mapping[Square, str], start: Square, end: Square) -> str | None:
    king = board[start]
    if king.upper() != "K" or start[1] != end[1]:
        return None
    takes_rook = board.get(end) == ("R" if king == "K" else "r")
    if not takes_rook and abs(end[0] - start[0]) < 2:
        return None
    return "O-O" if end[0] > start[0] else "O-O-O"


def _fits(san: str, start: Square, wanted: tuple[str, Square, str]) -> bool:
    """Whether a legal move may begin on a square and is wanted: piece, end, promotion."""
    read = _SAN.match(san)
    if read is None:
        return False
    piece, file, rank = read[1], read[2], read[3]
    if not piece and not file:
        file = read[4]  # a pawn that takes nothing stays on its file
    return (
        (piece, _square(read[4], read[5]), read[6] or "") == wanted
        and file in ("", "abcdefgh"[start[0]])
        and rank in ("", str(start[1] + 1))
    )


def _may_go(board: dict[Square, str], start: Square, end: Square) -> bool:
    """Whether the piece on a square reaches the end, and is not pinned."""
    piece = board[start]
    if piece in "Pp":
        back = 1 if piece == "p" else -1
        near = (end[0], end[1] + back)
        if start[0] != end[0]:
            return start[1] == near[1]
        return start == near or (near not in board and start[1] == near[1] + back)
    if not _reaches(board, start, end):
        return False
    after = {square: sign for square, sign in board.items() if square != start} | {end: piece}
    king = "K" if piece.isupper() else "k"
    at = next((square for square, sign in after.items() if sign == king), None)
    return not any(
        sign.isupper() != piece.isupper() and at is not None and _reaches(after, square, at)
        for square, sign in after.items()
    )


def _reaches(board: Mapping[Square, str], start: Square, end: Square) -> bool:
    """Whether the piece on a square attacks another square."""
    piece = board[start]
    across, up = end[0] - start[0], end[1] - start[1]
    match piece.upper():
        case "P":
            return abs(across) == 1 and up == (1 if piece == "P" else -1)
        case "N":
            return {abs(across), abs(up)} == {1, 2}
        case "K":
            return max(abs(across), abs(up)) == 1
        case kind:
            steps = max(abs(across), abs(up))
            if not steps or across % steps or up % steps:
                return False
            way = (across // steps, up // steps)
            between = [(start[0] + way[0] * k, start[1] + way[1] * k) for k in range(1, steps)]
            return way in _LINES[kind] and not any(square in board for square in between)


def _square(file: str, rank: str) -> Square:
    return "abcdefgh".index(file), int(rank) - 1


def _name(piece: str) -> str:
    return "" if piece in "Pp" else piece.upper()
