"""Prints an error of the server that no handler catches as a sentence, without a traceback."""

from __future__ import annotations

import sys
from types import TracebackType

from polynya_client.errors import (
    BadFrame,
    BadMessage,
    BadSettings,
    ConnectionLost,
    Replaced,
    ServerError,
    exit_code,
    printable,
)

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
