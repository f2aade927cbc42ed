"""Blocks with any six faces, and what turning makes of them (rules, "Blocks" and "A turn").

A *cube* is a block in one orientation. All that a tip or a rotation does to it is a look-up in
:attr:`Cube.turned`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from weakref import WeakValueDictionary

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


class Cube:
    """A block as it stands: there is one object for the same six faces, so ``is`` compares them.

    Attributes:
        faces: its faces in the order of :data:`FACINGS`.
        symbol: the symbol on top.
        path: the number of the path that the arrow on top points along, None without an arrow.
        arcs: 1 if an arc is on top, else 0; likewise ``circles``.
        turned: what tipping (``N``, ``S``, ``E``, ``W``) or rotating (``cw``, ``ccw``) makes of it.
    """

    __slots__ = ("__weakref__", "arcs", "circles", "faces", "path", "symbol", "turned")

    def __init__(self, faces: Faces) -> None:
        self.faces = faces
        self.symbol, direction = faces[0]
        self.path = None if direction is None else PATHS.index(direction)
        self.arcs = int(self.symbol == ARC)
        self.circles = int(self.symbol == CIRCLE)
        self.turned: Mapping[str, Cube] = _Turned(self)

    def __reduce__(self) -> tuple[Callable[[Faces], Cube], tuple[Faces]]:
        """How cubes are copied, and sent to other processes."""
        return (cube_of, (self.faces,))

    def __repr__(self) -> str:
        return f"cube_of({self.faces})"


class _Turned(dict[str, Cube]):
    """Each turn's result for a cube; filled when first asked for."""

    __slots__ = ("_cube",)

    def __init__(self, cube: Cube) -> None:
        super().__init__()
        self._cube = cube

    def __missing__(self, turn: str) -> Cube:
        self[turn] = cube = cube_of(turned(self._cube.faces, turn))
        return cube


_CUBES: WeakValueDictionary[Faces, Cube] = WeakValueDictionary()
_MAKING = Lock()


def cube_of(faces: Faces) -> Cube:
    """The cube with these faces, which must be possible ones, see :func:`fits`."""
    if (cube := _CUBES.get(faces)) is None:
        with _MAKING:  # another thread may have made it meanwhile
            if (cube := _CUBES.get(faces)) is None:
                _CUBES[faces] = cube = Cube(faces)
    return cube


def fits(facing: str, face: Face) -> bool:
    """Whether a face can look in a direction: an arrow, and no other symbol, points within it."""
    symbol, direction = face
    if symbol >= CIRCLE:
        return direction is None
    return direction is not None and direction not in _AXES[facing]


_AXES = {facing: axis for axis in ("UD", "NS", "EW") for facing in axis}


def _orientations(block: int) -> tuple[Cube, ...]:
    """All orientations of a block, the four that stand as the frame does first."""
    found = [frame(block)]
    for turns in (["cw"], [*_CYCLES]):
        for faces in found:
            for turn in turns:
                if (other := turned(faces, turn)) not in found:
                    found.append(other)
    return tuple([cube_of(faces) for faces in found])


USUAL: tuple[tuple[Cube, ...], ...] = tuple([_orientations(block) for block in range(4)])
"""Per block of this project's set its 24 orientations; those for the positions 0 to 3 first."""
