"""Notices that tell a bot on a ladder why it gets no matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from polynya_common.reasons import Cause
from polynya_protocol.messages import NoticeCode

LEAST_REST_S = 10.0
"""A shorter rest is over before the author has read of it."""


class Notifier(Protocol):
    """The interface to the server."""

    def set_notice(
        self, name: str, code: NoticeCode, message: str, match: str | None = None
    ) -> None:
        """Tell a bot something now, and whenever it connects, until it is cleared."""

    def clear_notice(self, name: str, message: str = ...) -> None:
        """Tell a bot that this no longer holds."""


class LadderNotices:
    """Keeps what each bot is told up to date.

    Args:
        server: tells it.
        game: what is played.
        suspended: by name why bots are suspended already.
    """

    def __init__(self, server: Notifier, game: str, suspended: Mapping[str, Cause]) -> None:
        self._server = server
        self._game = game
        self._unwilling: set[str] = set()
        for name, why in suspended.items():
            self.suspended(name, why)

    def suspended(self, name: str, why: Cause) -> None:
        """A bot gets no matches until its host puts it back."""
        self._server.set_notice(
            name, "suspended", f"{name} gets no matches until the host puts it back: {why}"
        )

    def resumed(self, name: str) -> None:
        """The host has put it back."""
        self._server.clear_notice(name, f"the host has put {name} back: it gets matches again")

    def rests(self, name: str, seconds: float, match: str, why: Cause) -> None:
        """It gets none for a while, because of how a match ended."""
        if seconds >= LEAST_REST_S:
            sentence = (
                f"{name} rests for {seconds:.0f} s because match {match} ended by its own fault, "
                f"{why}; each match that it plays to its end halves the next rest"
            )
            self._server.set_notice(name, "resting", sentence, match)

    def rested(self, name: str) -> None:
        """That is over."""
        self._server.clear_notice(name, f"{name} has rested: it gets matches again")

    def plays(self, name: str, *, willing: bool) -> None:
        """Whether a bot plays what is played; a bot that has gone is not unwilling."""
        if willing and name in self._unwilling:
            self._unwilling.remove(name)
            self._server.clear_notice(name, f"{name} plays {self._game}, or has gone")
        elif not willing and name not in self._unwilling:
            self._unwilling.add(name)
            sentence = f"{self._game} is played here, which is none of the games of {name}"
            self._server.set_notice(name, "game_not_played", sentence)
