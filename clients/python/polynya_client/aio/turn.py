"""A turn whose questions are awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from polynya_client.codec import Message
from polynya_client.events import Legal, Steps
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
