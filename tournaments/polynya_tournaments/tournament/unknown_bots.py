"""Connected bots without a match in a tournament: they and the host are told why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from polynya_common.text import shortened
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_protocol.messages import NoticeCode
from polynya_server import ConnectedBot
from polynya_tournaments.tournament.match_runner import declared_games, plays
from polynya_tournaments.tournament.progress_events import Reporter

MOST_TOLD = 100
"""The host is told of this many bots at most; each bot itself is told."""
MOST_LISTED = 20


class NoticeBoard(Protocol):
    """The part of the server that shows which bots are connected, and gives them notices."""

    @property
    def connected(self) -> Mapping[str, ConnectedBot]:
        """The bots that are connected, by name."""

    @property
    def version(self) -> int:
        """Grows with every change of these."""

    async def changed(self, since: int | None = None) -> int:
        """Wait until the version is another one."""

    def set_notice(self, name: str, code: NoticeCode, message: str) -> None:
        """Tell a bot's author something until it is cleared; what was told is not told again."""

    def clear_notice(self, name: str) -> None:
        """Tell a bot's author that this no longer holds."""


class UnknownBots:
    """Tells connected bots that get no match, because of their name or their games."""

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
        """Look whenever bots come or go, until cancelled."""
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
