"""The four blocks in each of their 24 orientations, as tables (rules, "Blocks" and "A turn").

A *cube* is a block in one orientation, a number: ``24 * block + orientation``. All that a tip or a
rotation does to it is a look-up in :data:`TURNED`.
"""

from __future__ import annotations

from collections.abc import Mapping

Face = tuple[int, str | None]
"""A symbol, and for an arrow the direction that it points in."""

Faces = tuple[Face, ...]
"""The six faces of a cube in the order of :data:`FACINGS`."""

FACINGS = "UDNESW"
"""The directions in the room, in the order in which a state lists the faces: top, bottom, …"""

PATHS = "NESW"
"""The paths in the order of their numbers, 0 to 3."""

CIRCLE = 4
ARC = 5
ORIENTATIONS = 24

_CYCLES = {"N": "UNDS", "S": "USDN", "E": "UEDW", "W": "UWDE", "cw": "NESW", "ccw": "NWSE"}


def _becomes(cycle: str) -> dict[str, str]:
    """Where each direction comes to lie when the room is turned along ``cycle``."""
    moved = dict(zip(cycle, cycle[1:] + cycle[0], strict=True))
    return {facing: moved.get(facing, facing) for facing in FACINGS}


_BECOMES = {turn: _becomes(cycle) for turn, cycle in _CYCLES.items()}


def turned(faces: Faces, turn: str) -> Faces:
    """The faces after tipping (``N``, ``S``, ``E``, ``W``) or rotating (``cw``, ``ccw``)."""
    becomes = _BECOMES[turn]
    lies: dict[str, Face] = {}
    for facing, (symbol, direction) in zip(FACINGS, faces, strict=True):
        lies[becomes[facing]] = (symbol, None if direction is None else becomes[direction])
    return tuple([lies[facing] for facing in FACINGS])


def frame(block: int) -> Faces:
    """The faces of a block in its own frame, as it would stand at position 0."""
    sides = [(colour - block) % 4 for colour in range(4)]
    return ((ARC, None), (CIRCLE, None), *zip(sides, "UNWD", strict=True))


def _orientations(block: int) -> list[Faces]:
    """All orientations of a block, the four that stand as the frame does first."""
    found = [frame(block)]
    for turns in (["cw"], [*_CYCLES]):
        for faces in found:
            for turn in turns:
                if (other := turned(faces, turn)) not in found:
                    found.append(other)
    return found


FACES: tuple[Faces, ...] = tuple([faces for block in range(4) for faces in _orientations(block)])
"""Per cube its six faces."""

CUBES: Mapping[Faces, int] = {faces: cube for cube, faces in enumerate(FACES)}
"""The cube that shows these faces; blocks differ in every orientation."""

TURNED: Mapping[str, tuple[int, ...]] = {
    turn: tuple([CUBES[turned(faces, turn)] for faces in FACES]) for turn in _CYCLES
}
"""Per tip direction (``N``, ``S``, ``E``, ``W``) and rotation (``cw``, ``ccw``): cube to cube."""

SYMBOL: tuple[int, ...] = tuple([faces[0][0] for faces in FACES])
"""Per cube the symbol on top."""

PATH: tuple[int | None, ...] = tuple(
    [None if faces[0][1] is None else PATHS.index(faces[0][1]) for faces in FACES]
)
"""Per cube the number of the path that the arrow on top points along, None without an arrow."""


def standing(block: int, position: int) -> int:
    """The cube of a block that stands turned for a position, as at the start of a match."""
    return block * ORIENTATIONS + position
