"""The two families of errors: what we did wrong, and what the peer did wrong."""

from __future__ import annotations

from polynya_common.reasons import Cause
from polynya_protocol.messages import PROTOCOL_VERSION, Error, ErrorCode


class ProtocolError(Exception):
    """The base class of all errors of this package."""


class LocalProtocolError(ProtocolError):
    """This side misused the package: sent what it may not send now, or what does not fit."""


class FrameTooLong(LocalProtocolError):  # noqa: N818 - named like the errors of this package
    """A frame that the peer would not take."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the contract (wire contract, "Illegal or untimely messages", "Errors").

    Attributes:
        code: the contract's word for it.
        message: one sentence a bot's author can act on; printable, of bounded length.
        fatal: whether the connection ends by it.
    """

    def __init__(self, code: ErrorCode, message: Cause, *, fatal: bool) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = str(message)
        self.fatal = fatal

    def reply(self) -> Error:
        """The ``error`` frame that tells the peer."""
        supported = [PROTOCOL_VERSION] if self.code == "unsupported_protocol" else None
        return Error(code=self.code, message=self.message, fatal=self.fatal, supported=supported)


def malformed(message: Cause) -> RemoteProtocolError:
    """The error for bytes that are no frame of the contract."""
    return RemoteProtocolError("malformed", message, fatal=True)


def printable(text: str, limit: int = 200) -> str:
    """A peer's text for use within a sentence: no control characters, at most ``limit`` long."""
    shown = "".join(char if char.isprintable() else "?" for char in text[:limit])
    return shown + "..." if len(text) > limit else shown
