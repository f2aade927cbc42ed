"""The wire protocol: messages, codec and connection state, without input or output."""

from polynya_protocol.checks import check_info, check_name
from polynya_protocol.codec import FrameDecoder, decode_from_client, decode_from_server, encode
from polynya_protocol.connection import Connection, client_side, server_side
from polynya_protocol.errors import (
    FrameTooLong,
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
)
from polynya_protocol.framing import Deframer

__all__ = [
    "Connection",
    "Deframer",
    "FrameDecoder",
    "FrameTooLong",
    "LocalProtocolError",
    "ProtocolError",
    "RemoteProtocolError",
    "check_info",
    "check_name",
    "client_side",
    "decode_from_client",
    "decode_from_server",
    "encode",
    "server_side",
]
