"""Notifies bots why they get no matches: resting, suspended, or not entered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from polynya_common.reasons import Cause
from polynya_common.text import shortened
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_protocol.messages import NoticeCode
from polynya_server import ConnectedBot
from polynya_tournaments.tournament.match_runner import declared_games, plays
from polynya_tournaments.tournament.progress_events import Reporter

LEAST_REST_S = 10.0
"""No notice for shorter rests: they end before the author has read it."""


class Notifier(Protocol):
    """The part of the server that gives bots notices."""

    def set_notice(
        self, name: str, code: NoticeCode, message: str, match: str | None = None
    ) -> None:
        """Notify a bot now and at each connection, until it is cleared."""

    def clear_notice(self, name: str, message: str = ...) -> None:
        """Clear a bot's notice and tell it."""


class LadderNotices:
    """Keeps the notices of a ladder's bots up to date.

    Args:
        server: sends the notices.
        game: the ladder's game.
        suspended: by name the reasons of present suspensions.
    """

    def __init__(self, server: Notifier, game: str, suspended: Mapping[str, Cause]) -> None:
        self._server = server
        self._game = game
        self._unwilling: set[str] = set()
        for name, why in suspended.items():
            self.suspended(name, why)

    def suspended(self, name: str, why: Cause) -> None:
        """Notify a suspended bot."""
        self._server.set_notice(
            name, "suspended", f"{name} gets no matches until the host puts it back: {why}"
        )

    def resumed(self, name: str) -> None:
        """Clear the notice of a reinstated bot."""
        self._server.clear_notice(name, f"the host has put {name} back: it gets matches again")

    def rests(self, name: str, seconds: float, match: str, why: Cause) -> None:
        """Notify a bot that rests because of how a match ended."""
        if seconds >= LEAST_REST_S:
            sentence = (
                f"{name} rests for {seconds:.0f} s because match {match} ended by its own fault, "
                f"{why}; each match that it plays to its end halves the next rest"
            )
            self._server.set_notice(name, "resting", sentence, match)

    def rested(self, name: str) -> None:
        """Clear the notice of a bot that has rested."""
        self._server.clear_notice(name, f"{name} has rested: it gets matches again")

    def plays(self, name: str, *, willing: bool) -> None:
        """Set or clear the notice about the game; a disconnected bot counts as willing."""
        if willing and name in self._unwilling:
            self._unwilling.remove(name)
            self._server.clear_notice(name, f"{name} plays {self._game}, or has gone")
        elif not willing and name not in self._unwilling:
            self._unwilling.add(name)
            sentence = f"{self._game} is played here, which is none of the games of {name}"
            self._server.set_notice(name, "game_not_played", sentence)


MOST_TOLD = 100
"""Maximum number of bots reported to the host; each bot gets its notice."""
MOST_LISTED = 20


class NoticeBoard(Notifier, Protocol):
    """The part of the server that shows which bots are connected, and gives them notices."""

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The connected bots, by name."""

    @property
    def version(self) -> int:
        """Grows with every change of the connected bots."""

    async def changed(self, since: int | None = None) -> int:
        """Wait until the version differs."""


class UnknownBots:
    """Notifies connected bots that get no match because of their name or games."""

    def __init__(
        self, configuration: TournamentConfiguration, board: NoticeBoard, reporter: Reporter
    ) -> None:
        self._tournament = configuration.name
        self._game = configuration.game
        self._entrants = [bot.name for bot in configuration.bots if not bot.withdrawn]
        self._board = board
        self._reporter = reporter
        self._told: set[str] = set()

    async def watch(self) -> None:
        """Check whenever bots come or go, until cancelled."""
        while True:
            version = self._board.version
            self._look()
            await self._board.changed(version)

    def _look(self) -> None:
        for name, bot in list(self._board.connected.items()):
            if name not in self._entrants:
                self._not_entered(name)
            elif not plays(bot, self._game):
                sentence = (
                    f"the tournament {self._tournament} plays {self._game}; the hello of {name} "
                    f"names {declared_games(bot)}"
                )
                self._board.set_notice(name, "game_not_played", sentence)
            else:
                self._board.clear_notice(name)

    def _not_entered(self, name: str) -> None:
        entrants = shortened(self._entrants, MOST_LISTED)
        sentence = f"{name} is not an entrant of {self._tournament}; entrants are {entrants}"
        self._board.set_notice(name, "not_entered", sentence)
        if name in self._told or len(self._told) > MOST_TOLD:
            return
        self._told.add(name)
        if len(self._told) > MOST_TOLD:
            self._reporter.warning(f"more than {MOST_TOLD} bots are connected but are no entrants")
            return
        self._reporter.warning(
            f"{name} is connected but is not an entrant; entrants are {entrants}"
        )
