"""A log of the messages that were sent and received: one JSON object a line, the token left out."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, TextIO


class FrameLog:
    """Writes every message to a text stream as it passes."""

    def __init__(self, stream: TextIO, bot: str | None) -> None:
        self._stream = stream
        self._bot = bot

    def write(self, direction: str, message: Mapping[str, Any]) -> None:
        """One line: wall-clock time in seconds, the bot, ``sent`` or ``received``, the message."""
        if "token" in message:
            message = {**message, "token": "(left out)"}
        entry = {"time": round(time.time(), 6), "bot": self._bot, "direction": direction}
        self._stream.write(json.dumps(entry | {"message": message}) + "\n")


@contextlib.contextmanager
def opened(target: str | None, bot: str | None) -> Iterator[FrameLog | None]:
    """The log for a file (which several bots may append to), ``-`` for standard error, or none."""
    if not target:
        yield None
    elif target == "-":
        yield FrameLog(sys.stderr, bot)
    else:
        with open(target, "a", encoding="utf-8", buffering=1) as stream:
            yield FrameLog(stream, bot)
