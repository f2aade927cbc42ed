"""Messages to frames and back, strictly: what a frame may hold is decided here for all messages.

A frame holds exactly one msgpack map with distinct str keys, at most 16 levels of maps and arrays,
no bin and no ext (wire contract, "Transport and framing", "Details that were asked about"). A typed
decoder alone would not see that under keys it skips or that take anything, so a frame is decoded
twice: into its message, and as plain data by a decoder whose very type has no bin, no ext and no
17th level. Duplicate keys are the one thing left: a frame that encodes again to the same bytes has
none, and only the others are looked through. By far the most frequent frame, a `move` of words and
integers, shows by its length that it holds nothing else, and is decoded once.

The worst found, 64 KiB of empty maps in a longer form, takes 8 ms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import UnionType
from typing import Any, Final, Generic, TypeVar, cast, get_args

import msgspec

from polynya_common.reasons import Cause, Reason
from polynya_protocol.checks import CHECKS, check_protocol
from polynya_protocol.errors import RemoteProtocolError, malformed, printable
from polynya_protocol.framing import MAX_FRAME_FROM_SERVER, frame
from polynya_protocol.messages import FromClient, FromServer, Message, Move
from polynya_protocol.plain import (
    MAX_DEPTH,
    MAX_ITEMS_FROM_CLIENT,
    MAX_ITEMS_FROM_SERVER,
    long_move,
    plain_decoder,
    refuse_duplicates,
)
from polynya_protocol.validation_errors import Problem, problem_of

_MOVE_DEPTH: Final = 3
"""The levels of a `move`: its map, its steps, each step."""

_PLAIN_KINDS: Final = ("bool", "int", "float", "str", "null")
"""The kinds of a value in the deepest map or array."""

encode_payload: Final = msgspec.msgpack.Encoder().encode
"""The message as the payload of a frame."""

M = TypeVar("M", FromClient, FromServer)


def encode(message: Message, max_frame: int = MAX_FRAME_FROM_SERVER) -> bytes:
    """The message as a frame, its length included.

    Raises:
        FrameTooLong: the frame is longer than ``max_frame``, what the peer takes in bytes.
    """
    return frame(encode_payload(message), max_frame)


class FrameDecoder(Generic[M]):
    """Decodes the frames that one side sends, given without their length.

    Args:
        accepted: the union of that side's messages.
        refused: the union of the other side's messages.
        max_items: the most entries of any one map or array.
        max_depth: the most levels of maps and arrays.
    """

    def __init__(
        self,
        accepted: UnionType,
        refused: UnionType,
        max_items: int,
        max_depth: int = MAX_DEPTH,
    ) -> None:
        self._max_items = max_items
        self._max_depth = max_depth
        self._plain: Callable[[bytes], dict[str, Any]] | None = None
        self._typed: Callable[[bytes], M] = msgspec.msgpack.Decoder(cast("Any", accepted)).decode
        self._known = _names(accepted)
        self._only_other_side = _names(refused) - self._known

    def prepare(self) -> None:
        """Make ready what the first frame would wait for, and an import should not wait for."""
        if self._plain is None:
            self._plain = plain_decoder(self._max_items, self._max_depth)

    def decode(self, payload: bytes) -> M:
        """The message in a frame.

        Raises:
            RemoteProtocolError: ``malformed``; ``unknown_type``, fatal only for a type that the
                other side sends; ``unsupported_protocol`` and ``bad_name`` for a ``hello``.
        """
        try:
            message: M = self._typed(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._verdict(self._checked(payload), error) from None
        if type(message) is not Move or not self._holds_no_more(message, payload):
            self._checked(payload)
        if type(message) in CHECKS:
            CHECKS[type(message)](message)
        return message

    def _checked(self, payload: bytes) -> dict[str, Any]:
        """The frame as plain data, with nothing in it that no frame may hold."""
        self.prepare()
        decode = cast("Callable[[bytes], dict[str, Any]]", self._plain)
        try:
            plain = decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            move = long_move(payload, self._max_depth)
            if move is None:
                raise malformed(_why_no_frame(error, self._max_depth)) from None
            plain = move
        if encode_payload(plain) != payload:
            refuse_duplicates(payload)
        return plain

    def _holds_no_more(self, move: Move, payload: bytes) -> bool:
        """Whether a move of the usual form is all that its frame holds: no need to look again.

        Integers and text have one shortest form each. So a frame that is as long as the shortest
        one with this move has no other key, and none twice.
        """
        if (
            type(move.match) is not str
            or type(move.turn) is not int
            or type(move.steps) is not list
        ):
            return False
        for step in move.steps:
            if type(step) is not list:
                return False
            for value in step:
                if type(value) is not int and type(value) is not str:
                    return False
        shortest = len(move.info) == 0 and len(encode_payload(move)) == len(payload)
        return shortest and self._max_depth >= _MOVE_DEPTH

    def _verdict(self, plain: dict[str, Any], error: Exception) -> RemoteProtocolError:
        name = plain.get("type")
        if not isinstance(name, str):
            return malformed(Reason.of("frame_no_type"))
        if name not in self._known:
            fatal = name in self._only_other_side
            return RemoteProtocolError("unknown_type", _why_unknown(name, fatal), fatal=fatal)
        if name == "hello":
            check_protocol(plain.get("protocol"))
        return malformed(_why_wrong(name, problem_of(error)))


def _names(union: UnionType) -> frozenset[str]:
    return frozenset(cast("str", message.__struct_config__.tag) for message in get_args(union))


def _why_no_frame(error: Exception, max_depth: int) -> Reason:
    problem = problem_of(error)
    if problem.given == "bytes":
        return Reason.of("frame_bin")
    if problem.given == "ext":
        return Reason.of("frame_ext")
    if problem.expected == _PLAIN_KINDS:
        return Reason.of("frame_too_deep", depth=max_depth)
    if isinstance(error, UnicodeDecodeError):
        return Reason.of("frame_not_utf8")
    return Reason.of("frame_no_map", why=printable(str(error)))


def _why_unknown(name: str, only_other_side: bool) -> Cause:
    shown = printable(name, 40)
    if only_other_side:
        return Reason.of("wrong_side", name=shown)
    return f"this version does not know the message {shown!r}; it was ignored"


def _why_wrong(name: str, problem: Problem) -> Reason:
    why = _why_refused(problem)
    if problem.place:
        return Reason.of("key_wrong", key=problem.place, message=name, why=why)
    return Reason.of("message_wrong", message=name, why=why)


def _why_refused(problem: Problem) -> Cause:
    """The refusal of msgspec in its sentence."""
    if problem.expected and problem.sentence.startswith("Expected"):
        wanted = f"`{' | '.join(problem.expected)}`"
        return Reason.of("wrong_type", wanted=wanted, found=f"`{problem.given}`")
    if problem.missing:
        return Reason.of("field_missing", key=f"`{problem.missing}`")
    return printable(problem.sentence)


from_client: FrameDecoder[FromClient] = FrameDecoder(FromClient, FromServer, MAX_ITEMS_FROM_CLIENT)
from_server: FrameDecoder[FromServer] = FrameDecoder(FromServer, FromClient, MAX_ITEMS_FROM_SERVER)


@functools.cache
def decoder_from_client(max_items: int, max_depth: int) -> FrameDecoder[FromClient]:
    """A decoder of clients' messages with other limits than the usual ones."""
    if (max_items, max_depth) == (MAX_ITEMS_FROM_CLIENT, MAX_DEPTH):
        return from_client
    return FrameDecoder(FromClient, FromServer, max_items, max_depth)


decode_from_client = from_client.decode
decode_from_server = from_server.decode
