"""The board: blocks and how they turn, paths and the pawns on them, and counts of pawns.

A *cube* is a block in one orientation. All that a tip or a rotation does to it is a look-up in
:attr:`Cube.turned`.

A path is a string: the stacks of the fields 1 to 5, each the colours from bottom to top, with
``/`` between them, so ``"2/31///"`` is a pawn of colour 2 on field 1 and one of colour 1 on top of
one of colour 3 on field 2. The results are kept for later: in a search the same few paths
come again and again.

Four small counts are packed into one integer, cheap to change, to compare and to hash: the count of
``i`` (a colour or a position, 0 to 3) lies in bits ``4 * i`` to ``4 * i + 3``.

Source: rules, "Blocks", "Paths" and "A turn".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

SEATS = range(2, 5)
"""How many players a match can have."""

COLOURS = 4
"""The colours of pawns, neutral ones included; also the number of blocks and of paths."""

PAWNS = 5
"""The pawns of each colour."""

FIELDS = 5
"""The fields of each path."""

TURN_LIMIT = 200
"""The last turn of a match, unless the host says otherwise."""

MOST_TURNS = sys.maxsize
"""The greatest turn limit, 2**63 - 1: the greatest integer that any bot can read."""

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

EMPTY = "/" * (FIELDS - 1)

_KEPT = 1 << 15

ONE = (0x1, 0x10, 0x100, 0x1000)
"""Per index the packed counts that are 1 there and 0 elsewhere: add it to count one more."""

BITS = (0xF, 0xF0, 0xF00, 0xF000)
"""Per index the bits of its count: not 0 in ``packed & BITS[i]`` means a count of at least 1."""


class Advanced(NamedTuple):
    """The effect of an advance.

    Attributes:
        path: the path afterwards.
        reached: how many pawns of each colour reach the goal, packed.
        towers: the bits ``1 << colour`` of the colours whose five pawns stand in the stack that
            the advance has changed.
    """

    path: str
    reached: int
    towers: int


def pawns(path: str, colour: int) -> list[tuple[int, int]]:
    """Field (1 to 5) and index (0 = lowest) of each pawn of a colour, in ascending order."""
    wanted = "0123"[colour]
    if wanted not in path:
        return []
    return [
        (field, index)
        for field, stack in enumerate(path.split("/"), 1)
        if wanted in stack
        for index, pawn in enumerate(stack)
        if pawn == wanted
    ]


@lru_cache(_KEPT)
def advanced(path: str, colour: int, field: int, index: int) -> Advanced:
    """The advance of a pawn of ``colour`` that stands there, or comes from the start (field 0)."""
    stacks = path.split("/")
    moving = "0123"[colour]
    if field:
        stack = stacks[field - 1]
        stacks[field - 1], moving = stack[:index], stack[index:]
    if field == FIELDS:
        return Advanced("/".join(stacks), sum(ONE[int(pawn)] for pawn in moving), 0)
    stacks[field] += moving
    return Advanced("/".join(stacks), 0, towers(stacks[field]))


def towers(stack: str) -> int:
    """The bits ``1 << colour`` of the colours all of whose pawns stand in ``stack``."""
    if len(stack) < PAWNS:
        return 0
    return sum(1 << colour for colour in range(4) if stack.count(str(colour)) == PAWNS)


def pack(counts: Iterable[int]) -> int:
    """Four counts of 0 to 15 as one integer."""
    return sum(count * one for count, one in zip(counts, ONE, strict=True))


def unpack(packed: int) -> list[int]:
    """The four counts in ``packed``."""
    return [packed >> shift & 15 for shift in (0, 4, 8, 12)]
