"""Frames on the byte stream: a 4-byte big-endian length, then that many bytes.

Source: wire contract, "Transport and framing".
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from polynya_common.reasons import Reason
from polynya_protocol.errors import FrameTooLong, RemoteProtocolError, malformed

MAX_FRAME_FROM_CLIENT: Final = 64 * 1024
"""Bytes that a server takes in one frame unless it is configured otherwise."""

MAX_FRAME_FROM_SERVER: Final = 1024 * 1024
"""Bytes that a client must expect in one frame unless its ``hello`` says less."""

LENGTH_SIZE: Final = 4
_PREFIX: Final = Struct(">I")
_PREFIXES: Final = tuple([_PREFIX.pack(size) for size in range(1024)])
"""The lengths of short frames, ready made: most frames are short."""


def frame(payload: bytes, max_frame: int) -> bytes:
    """The payload with its length in front.

    Raises:
        FrameTooLong: the payload is longer than ``max_frame``, what the peer takes.
    """
    size = len(payload)
    if size > max_frame:
        raise FrameTooLong(f"a frame of {size} bytes is over the peer's limit of {max_frame}")
    return (_PREFIXES[size] if size < len(_PREFIXES) else _PREFIX.pack(size)) + payload


class Deframer:
    """Cuts received bytes into frames, wherever the network has split or joined them.

    A length is checked as soon as its four bytes are there, so no more than ``max_frame`` + 3
    bytes ever wait for the rest of a frame.
    """

    __slots__ = ("_buffer", "_max_frame", "_stopped")

    def __init__(self, max_frame: int) -> None:
        self._max_frame = max_frame
        self._buffer = bytearray()
        self._stopped = False

    @property
    def pending(self) -> int:
        """How many bytes of an incomplete frame, its length included, are waiting."""
        return len(self._buffer)

    def stop(self) -> None:
        """Drop all bytes that wait, and all further ones."""
        self._stopped = True
        self._buffer.clear()

    def receive(self, data: bytes) -> list[bytes | RemoteProtocolError]:
        """The payloads that ``data`` completes, in order.

        A length that is refused gives an error in the place of its frame, and stops everything:
        where the next frame would begin is not known.
        """
        size = len(data) - LENGTH_SIZE
        if self._stopped:
            return []
        if not self._buffer and 0 < size <= self._max_frame and int.from_bytes(data[:4]) == size:
            return [data[LENGTH_SIZE:]]  # exactly one frame, by far the most frequent case
        self._buffer += data
        return self._complete_frames()

    def _complete_frames(self) -> list[bytes | RemoteProtocolError]:
        buffer, start = self._buffer, 0
        found: list[bytes | RemoteProtocolError] = []
        while len(buffer) >= (payload_start := start + LENGTH_SIZE):
            size = int.from_bytes(buffer[start:payload_start])
            if not 1 <= size <= self._max_frame:
                found.append(_refused_length(size, self._max_frame))
                self.stop()
                return found
            if len(buffer) < payload_start + size:
                break
            start = payload_start + size
            found.append(bytes(buffer[payload_start:start]))
        del buffer[:start]
        return found


def _refused_length(size: int, max_frame: int) -> RemoteProtocolError:
    if size == 0:
        return malformed(Reason.of("frame_empty"))
    return RemoteProtocolError(
        "too_large", Reason.of("frame_too_long", size=size, limit=max_frame), fatal=True
    )
