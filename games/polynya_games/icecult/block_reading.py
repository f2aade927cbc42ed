"""Reading four blocks with any faces, from a state or from the option ``blocks``."""

from __future__ import annotations

from polynya_games.errors import InvalidState
from polynya_games.icecult.blocks import ARC, FACINGS, Cube, Face, cube_of, fits
from polynya_games.reading import read_choice, read_each, read_integer, read_list
from polynya_games.turns import describe

_NAMES = dict(zip(FACINGS, ("top", "bottom", "north", "east", "south", "west"), strict=True))


def read_blocks(value: object) -> tuple[Cube, ...]:
    """The cubes at the four positions.

    Raises:
        InvalidState: they are not of the form of ``blocks`` in a state.
    """
    return read_each(value, "blocks", _read_cube, 4)


def _read_cube(value: object, path: str) -> Cube:
    faces = read_each(value, path, _read_face, len(FACINGS))
    for index, (facing, face) in enumerate(zip(FACINGS, faces, strict=True)):
        if not fits(facing, face):
            within = ", ".join(way for way in FACINGS if fits(facing, (0, way)))
            raise InvalidState(
                f"{path}[{index}] is {describe(face)}, but on the {_NAMES[facing]} face an arrow "
                f"(0 to 3) points {within}, and a circle (4) or an arc (5) nowhere (null)"
            )
    return cube_of(faces)


def _read_face(value: object, path: str) -> Face:
    symbol, direction = read_list(value, path, 2)
    return (
        read_integer(symbol, f"{path}[0]", 0, ARC),
        read_choice(direction, f"{path}[1]", (*FACINGS, None)),
    )
