"""Delivers notices to bots' authors: keeps one per bot, also while the bot is away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from polynya_protocol.errors import printable
from polynya_protocol.messages import Notice, NoticeCode
from polynya_server.log import log
from polynya_server.sessions.bot_registry import BotRegistry
from polynya_server.transport.connection import Connection

MAX_NOTICES: Final = 10_000
"""Number of bots whose notice is kept; beyond it the oldest notice is dropped."""

MAX_BYTES: Final = 600
"""The longest sentence of a notice, in UTF-8: any client's ``max_frame`` has room for it."""


class Notices:
    """Keeps each bot's current notice; sends it when it changes and when the bot connects.

    Args:
        registry: knows which bots are connected.
    """

    def __init__(self, registry: BotRegistry) -> None:
        self._registry = registry
        self._held: dict[str, Notice] = {}

    def set(self, name: str, code: NoticeCode, message: str, match: str | None = None) -> None:
        """Set the notice of the bot ``name``, replacing the previous one; see :class:`Notice`."""
        notice = Notice(code, _bounded(message), match)
        if self._held.get(name) == notice:
            return
        self._held[name] = notice
        if len(self._held) > MAX_NOTICES:
            del self._held[next(iter(self._held))]
        self._send(name, notice)

    def clear(self, name: str, message: str) -> None:
        """Clear the notice of the bot ``name``; tell it with ``message`` if there was one."""
        if self._held.pop(name, None) is not None:
            self._send(name, Notice("cleared", _bounded(message)))

    def send_current(self, name: str, connection: Connection) -> None:
        """Send the current notice of the bot ``name`` on ``connection``, after its welcome."""
        notice = self._held.get(name)
        if notice is not None:
            connection.send(notice)

    def _send(self, name: str, notice: Notice) -> None:
        told = False
        for connection in self._connections(name):
            connection.send(notice)
            told = True
        log.info("a notice", bot=name, code=notice.code, message=notice.message, told=told)

    def _connections(self, name: str) -> Iterator[Connection]:
        bot = self._registry.bots.get(name)
        for session in [] if bot is None else list(bot.sessions.values()):
            if session.connection is not None:
                yield session.connection


def _bounded(message: str) -> str:
    return printable(message, MAX_BYTES).encode()[:MAX_BYTES].decode(errors="ignore")
