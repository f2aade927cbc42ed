"""Errors between a bot and its server: one family, each error a sentence."""

# ruff: noqa: N818 - the names say what is wrong, and they all end up in ``except`` clauses

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any

EX_TEMPFAIL = 75
REPLACED = 76
"""Exit codes that a supervisor can tell apart: start it again; leave it."""


class ClientError(Exception):
    """Anything that this package raises."""


class BadSettings(ClientError):
    """The arguments of ``run`` and the environment do not say where to connect, or as whom."""


class BadFrame(ClientError):
    """Bytes that are no frame of the protocol, or a message that would be none.

    Attributes:
        code: the protocol's word for it, ``malformed`` or ``too_large``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class BadMessage(ClientError):
    """The server sent a message that lacks a key or has another type there: not our protocol."""


class ConnectionLost(ClientError):
    """The connection could not be made, broke, or was silent for three heartbeats."""


class ServerLeft(ConnectionLost):
    """The server has said goodbye, and not that it is for good: a bot comes back later."""


class GaveUp(ConnectionLost):
    """The server was not there, or had no room, for as long as the bot was to try."""


class Replaced(ClientError):
    """Another process plays as this bot now; coming back would replace that process in turn."""


class ServerError(ClientError):
    """The server refused something and closed the connection.

    Attributes:
        code: the protocol's word for it, such as ``unauthorized``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class TurnLost(ClientError):
    """``Turn.legal_after`` has no answer: the turn is not asked for any more, or a step is illegal.

    A bot that lets it pass sends no move for this turn.
    """


class BadTurn(ClientError):
    """The bot gave something that is not a list of steps."""


class NotWanted(ClientError):
    """The bot looks at something that it did not ask the server for."""


class Stopped(BaseException):
    """The program was told to end, by SIGTERM."""


def farewell(error: BaseException) -> str:
    """The reason for the goodbye of a bot that ends by this; it stands in the forfeit's detail."""
    if isinstance(error, (KeyboardInterrupt, Stopped)):
        return "the bot was interrupted"
    told = getattr(error, "farewell", None)
    return told if isinstance(told, str) else f"the bot ended by {type(error).__name__}"


def exit_code(error: ClientError) -> int:
    """The exit code of a program: 75 if it gave up trying, 76 if it was replaced, else 1."""
    match error:
        case GaveUp():
            return EX_TEMPFAIL
        case Replaced():
            return REPLACED
    return 1


_REMEDY = "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?"


def not_welcome(error: BadFrame | ConnectionLost) -> BadFrame | ConnectionLost:
    """The same where no welcome came before it: hardly a Polynya server, or one with TLS."""
    if isinstance(error, ConnectionLost):
        return ConnectionLost(f"{error}, before any welcome; {_REMEDY}")
    return BadFrame(error.code, f"what answers there is no Polynya server; {_REMEDY} {error}")


def notice(message: Mapping[str, Any]) -> str:
    """A notice of the server for the bot's author: a sentence; nothing in it is an error."""
    code, sentence = message.get("code"), message.get("message")
    return f"the server says {printable(str(code))}: {printable(str(sentence))}"


def printable(text: str, limit: int = 500) -> str:
    r"""A peer's text for a terminal: what is not printable becomes ``\x1b``-like notation."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text[:limit]
    )


def tell_connected(name: str) -> None:
    """Say at a terminal that the bot is connected: nothing else is seen until a match."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"connected as {printable(name)}; waiting for a match", file=sys.stderr)


_TOLD = (BadFrame, BadMessage, BadSettings, ConnectionLost, Replaced, ServerError)


def tell_in_a_sentence() -> None:
    """Let errors that are no bugs be printed so; a hook that another module has set stays."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _tell


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, _TOLD):
        print(f"polynya_client: {printable(str(error))}", file=sys.stderr)
        sys.exit(exit_code(error))  # a hook that raises SystemExit decides on the exit code
    else:
        sys.__excepthook__(kind, error, trace)
