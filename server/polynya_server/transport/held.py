"""Messages that were read and wait for the end of a pause, and the memory that they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polynya_protocol import RemoteProtocolError
from polynya_protocol.messages import FromClient

Received = FromClient | RemoteProtocolError

MEMORY_PER_BYTE: Final = 80
"""The most memory that a byte of a frame takes as a message: an empty list of one byte becomes an
object of 64 (measured, Python 3.11; ``tests/server/transport/test_message_limits.py``)."""


class Held:
    """What one connection's peer has sent and is not dealt with yet.

    Attributes:
        messages: in order, with errors in the place of bad frames.
        size: the bytes that they came in, at most.
    """

    __slots__ = ("messages", "size")

    def __init__(self) -> None:
        self.messages: list[Received] = []
        self.size = 0

    @property
    def memory(self) -> int:
        """The bytes of memory that they take, at most."""
        return MEMORY_PER_BYTE * self.size

    def put(self, messages: Sequence[Received], size: int) -> None:
        """Keep some more, which came in ``size`` bytes at most."""
        self.messages += messages
        self.size += size
