"""The shared vectors of frames that must be refused: from a checkout or from the wheel."""

from __future__ import annotations

import functools

import msgspec

from polynya_common.shipped_files import shipped


class RefusedFrame(msgspec.Struct, frozen=True):
    """A frame that a server must refuse.

    Attributes:
        name: in a few words.
        state: of the session when it comes: ``awaiting hello``, ``player`` or ``spectator``.
        hex: the frame.
        code, fatal: of the error that answers it.
        why: for people.
    """

    name: str
    state: str
    hex: str
    code: str
    fatal: bool
    why: str


class _Vectors(msgspec.Struct, frozen=True):
    from_client: list[RefusedFrame]


@functools.cache
def refused_frames() -> tuple[RefusedFrame, ...]:
    """All frames from clients that must be refused (protocol/vectors/refused.json)."""
    file = shipped("vectors/refused.json", "protocol/vectors/refused.json")
    return tuple(msgspec.json.decode(file.read_bytes(), type=_Vectors).from_client)
