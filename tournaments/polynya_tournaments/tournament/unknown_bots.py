"""Connected bots that a tournament has no match for: they and the host are told why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from polynya_protocol.messages import NoticeCode
from polynya_server import ConnectedBot
from polynya_tournaments.config.tournament_configuration import TournamentConfiguration
from polynya_tournaments.text import listed
from polynya_tournaments.tournament.progress_events import Reporter

MOST_TOLD = 100
"""The host is told of so many bots; all bots themselves are."""
MOST_LISTED = 20


class Desk(Protocol):
    """What this needs of the server."""

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
    """Looks for connected bots that get no match, because of their name or their games."""

    def __init__(
        self, configuration: TournamentConfiguration, desk: Desk, reporter: Reporter
    ) -> None:
        self._tournament = configuration.name
        self._game = configuration.game
        self._entrants = [bot.name for bot in configuration.bots if not bot.withdrawn]
        self._desk = desk
        self._reporter = reporter
        self._told: set[str] = set()

    async def watch(self) -> None:
        """Look whenever bots come or go, until cancelled."""
        while True:
            version = self._desk.version
            self._look()
            await self._desk.changed(version)

    def _look(self) -> None:
        for name, bot in list(self._desk.connected.items()):
            if name not in self._entrants:
                self._not_entered(name)
            elif bot.games is not None and self._game not in bot.games:
                sentence = (
                    f"the tournament {self._tournament} plays {self._game}, which is not among "
                    f"the games that the hello of {name} names"
                )
                self._desk.set_notice(name, "game_not_played", sentence)
            else:
                self._desk.clear_notice(name)

    def _not_entered(self, name: str) -> None:
        entrants = _some(self._entrants)
        sentence = f"{name} is not an entrant of {self._tournament}; entrants are {entrants}"
        self._desk.set_notice(name, "not_entered", sentence)
        if name in self._told or len(self._told) > MOST_TOLD:
            return
        self._told.add(name)
        if len(self._told) > MOST_TOLD:
            self._reporter.warning(f"more than {MOST_TOLD} bots are connected but are no entrants")
            return
        self._reporter.warning(
            f"{name} is connected but is not an entrant; entrants are {entrants}"
        )


def _some(names: list[str]) -> str:
    """The first names of a list, and how many more there are."""
    if len(names) <= MOST_LISTED:
        return listed(names)
    return f"{', '.join(names[:MOST_LISTED])} and {len(names) - MOST_LISTED} more"
