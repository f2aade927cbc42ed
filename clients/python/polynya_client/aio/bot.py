"""An asynchronous bot (a function that chooses steps, or a class with hooks) and its turns."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from polynya_client.codec import Message
from polynya_client.events import Forfeited, Legal, MatchOver, Moved, Steps
from polynya_client.match import Match
from polynya_client.turn import TurnFacts


class Turn(TurnFacts):
    """One turn of a bot, with its deadline; as in the blocking SDK, but for questions."""

    def __init__(
        self,
        match: Match,
        message: Message,
        arrived: float,
        ask: Callable[[Turn, Steps], Awaitable[Legal]],
    ) -> None:
        super().__init__(match, message, arrived)
        self._ask = ask

    async def legal_after(self, steps: Steps) -> Legal:
        """The steps that may follow ``steps``, asked of the server while our clock runs.

        Raises:
            TurnLost: a step is illegal, or the turn is not asked for any more.
        """
        return await self._ask(self, steps)


Choose = Callable[[Turn], Awaitable[Steps]]
"""A bot as a function: the whole turn, as a list of steps."""


class Bot:
    """A bot that follows its matches: override ``turn`` and the hooks that are of use.

    For one match they are called one after the other, in the order of the events. An exception
    ends the bot: it says goodbye, which forfeits its matches, and the exception leaves ``run``.
    """

    async def match_start(self, match: Match) -> None:
        """A match begins (or is taken up again, see ``match.resumed``); clocks wait for us."""

    async def turn(self, turn: Turn) -> Steps:
        """The whole turn, as a list of steps."""
        raise NotImplementedError(f"{type(self).__name__} has no method turn(self, turn)")

    async def moved(self, match: Match, moved: Moved) -> None:
        """Another player has moved; with ``wants=["moved"]`` also we ourselves.

        In matches with joint turns or hidden parts it tells of our own turns too.
        """

    async def forfeited(self, match: Match, forfeited: Forfeited) -> None:
        """A player has forfeited, perhaps we ourselves."""

    async def match_over(self, match: Match, over: MatchOver) -> None:
        """The match has ended."""

    async def ponder(self, match: Match) -> None:
        """Think on the opponents' time: there is nothing to do in this match.

        It is cancelled when something happens there, and called again afterwards.
        """

    async def connected(self, name: str | None) -> None:
        """A server has welcomed the bot, by this name: each time that it comes."""

    async def disconnected(self, reason: str) -> None:
        """The session has ended; the bot comes back unless the contest is over."""


class FunctionBot(Bot):
    """A function as a bot."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    async def turn(self, turn: Turn) -> Steps:
        """The steps that the function chooses."""
        return await self._choose(turn)
