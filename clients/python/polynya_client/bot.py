"""A bot: a function that chooses steps, or a class with hooks."""

from __future__ import annotations

from collections.abc import Callable

from polynya_client.events import Forfeited, MatchOver, Moved, Steps
from polynya_client.match import Match
from polynya_client.turn import Cancellation, Turn

Choose = Callable[[Turn], Steps]
"""A bot as a function: the whole turn, as a list of steps."""


class Bot:
    """A bot that follows its matches: override ``turn`` and the hooks that are of use.

    An exception in a hook ends the bot: it says goodbye, which forfeits its matches, and the
    exception leaves ``run``.
    """

    def match_start(self, match: Match) -> None:
        """A match begins (or is taken up again, see ``match.resumed``); clocks wait for us."""

    def turn(self, turn: Turn) -> Steps:
        """The whole turn, as a list of steps."""
        raise NotImplementedError(f"{type(self).__name__} has no method turn(self, turn)")

    def moved(self, match: Match, moved: Moved) -> None:
        """Another player has moved; with ``wants=["moved"]`` also we ourselves.

        In matches with joint turns or hidden parts it tells of our own turns too.
        """

    def forfeited(self, match: Match, forfeited: Forfeited) -> None:
        """A player has forfeited, perhaps we ourselves."""

    def match_over(self, match: Match, over: MatchOver) -> None:
        """The match has ended."""

    def ponder(self, match: Match, until: Cancellation) -> None:
        """Think on the opponents' time: the bot has nothing to do in its matches.

        ``match`` is the one of the last event. Return when ``until.is_set()``: something has
        happened then, perhaps it is our turn. It is called again after the next event.
        """

    def connected(self, name: str | None) -> None:
        """A server has welcomed the bot, by this name: each time that it comes."""

    def disconnected(self, reason: str) -> None:
        """The session has ended; the bot comes back unless the contest is over."""


class FunctionBot(Bot):
    """A function as a bot."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def turn(self, turn: Turn) -> Steps:
        """The steps that the function chooses."""
        return self._choose(turn)
