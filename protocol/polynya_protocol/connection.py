"""One end of a connection without a socket: bytes in, messages out; messages in, bytes out.

Both ends are the same class, so that a pair of them can be tested against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from polynya_protocol.codec import FrameDecoder, encode_payload, from_client, from_server
from polynya_protocol.errors import LocalProtocolError, RemoteProtocolError, malformed
from polynya_protocol.framing import (
    MAX_FRAME_FROM_CLIENT,
    MAX_FRAME_FROM_SERVER,
    Deframer,
    frame,
)
from polynya_protocol.messages import FromClient, FromServer, Hello, Message, Welcome
from polynya_protocol.states import (
    AT_WILL,
    ENDED,
    TRANSITIONS,
    Refusal,
    Side,
    State,
    kind_of,
    name_of,
)

Incoming = TypeVar("Incoming", FromClient, FromServer)
Outgoing = TypeVar("Outgoing", FromClient, FromServer)


class Connection(Generic[Incoming, Outgoing]):
    """One side's view of a connection; made by :func:`server_side` or :func:`client_side`.

    Attributes:
        state: where the session stands, as far as this side has heard.
        peer_max_frame: the longest frame that the peer takes, in bytes; follows its `hello` or
            `welcome`.
    """

    __slots__ = (
        "_decode",
        "_deframer",
        "_ended",
        "_peer",
        "_received_at_will",
        "_sent_at_will",
        "_side",
        "peer_max_frame",
        "state",
    )

    def __init__(
        self,
        side: Side,
        decoder: FrameDecoder[Incoming],
        max_frame: int,
        peer_max_frame: int,
    ) -> None:
        self._side = side
        self._peer = Side.SERVER if side is Side.CLIENT else Side.CLIENT
        self._decode: Callable[[bytes], Incoming] = decoder.decode
        self._deframer = Deframer(max_frame)
        self.peer_max_frame = peer_max_frame
        self._enter(State.AWAITING_HELLO)

    @property
    def pending(self) -> int:
        """How many bytes of an incomplete frame have been received."""
        return self._deframer.pending

    def receive_data(self, data: bytes) -> list[Incoming | RemoteProtocolError]:
        """The messages that ``data`` completes, in order, and errors in the place of bad frames.

        Errors are returned, not raised, because good frames may have come before. Nothing follows
        a fatal one: the server answers it with ``send(error.reply())`` and closes, a client says
        `goodbye` and closes. Once either side has left, what still arrives is dropped.
        """
        received: list[Incoming | RemoteProtocolError] = []
        for payload in self._deframer.receive(data):
            if self._ended:
                break
            item = self._receive_frame(payload) if isinstance(payload, bytes) else payload
            received.append(item)
            if isinstance(item, RemoteProtocolError) and item.fatal:
                self._deframer.stop()
                break
        return received

    def receive_end(self) -> None:
        """The peer's bytes have ended, in order or not."""
        self._deframer.stop()
        self._enter(State.CLOSED)

    def send(self, message: Outgoing) -> bytes:
        """The frame for a message that this side may send now.

        Raises:
            FrameTooLong: the frame is longer than the peer takes; nothing has changed.
            LocalProtocolError: the table of transitions forbids it; nothing has changed.
        """
        if type(message) in self._sent_at_will:
            return frame(encode_payload(message), self.peer_max_frame)
        kind = kind_of(message)
        cell = TRANSITIONS[self.state][self._side].get(kind)
        if not isinstance(cell, State):
            raise LocalProtocolError(
                f"the {self._side.value} may not send {name_of(kind)} while {self.state.value}"
            )
        sent = frame(encode_payload(message), self.peer_max_frame)
        self._enter(cell)
        return sent

    def _receive_frame(self, payload: bytes) -> Incoming | RemoteProtocolError:
        try:
            message = self._decode(payload)
        except RemoteProtocolError as error:
            return self._first_frame_verdict(error)
        if type(message) in self._received_at_will:
            return message
        kind = kind_of(message)
        cell = TRANSITIONS[self.state][self._peer][kind]
        if isinstance(cell, Refusal):
            return cell.error(kind)
        self._enter(cell)
        self._note_limit(message)
        return message

    def _first_frame_verdict(self, error: RemoteProtocolError) -> RemoteProtocolError:
        """Before a `hello` nothing is forgiven: an unknown message is not the first frame."""
        if error.fatal or self.state is not State.AWAITING_HELLO:
            return error
        return malformed("the first frame must be `hello`")

    def _enter(self, state: State) -> None:
        self.state = state
        self._ended = state in ENDED
        self._sent_at_will = AT_WILL[state][self._side]
        self._received_at_will = AT_WILL[state][self._peer]

    def _note_limit(self, message: Message) -> None:
        if isinstance(message, Hello) and message.max_frame is not None:
            self.peer_max_frame = min(message.max_frame, MAX_FRAME_FROM_SERVER)
        elif isinstance(message, Welcome):
            self.peer_max_frame = message.max_frame


def server_side(
    max_frame: int = MAX_FRAME_FROM_CLIENT, decoder: FrameDecoder[FromClient] = from_client
) -> Connection[FromClient, FromServer]:
    """The server's end of a new connection; it takes frames of up to ``max_frame`` bytes."""
    return Connection(Side.SERVER, decoder, max_frame, MAX_FRAME_FROM_SERVER)


def client_side(
    max_frame: int = MAX_FRAME_FROM_SERVER, decoder: FrameDecoder[FromServer] = from_server
) -> Connection[FromServer, FromClient]:
    """The client's end of a new connection; it takes frames of up to ``max_frame`` bytes."""
    return Connection(Side.CLIENT, decoder, max_frame, MAX_FRAME_FROM_CLIENT)
