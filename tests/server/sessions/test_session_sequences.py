"""A bot that answers, repeats itself, loses its connection and comes back in any order.

The model of it is what a bot's author would expect: what answers the question counts, all else is
an error that costs nothing; whoever comes back is asked the same again; no event is missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scripted import RawClient, race_host
from tests.scripted.race_host import RaceHost
from tests.scripted.raw_client import Received

from polynya_server.records import MatchRecord

STEP = [["add", 1]]
ACTIONS = ["answer", "answer_twice", "answer_an_old_turn", "lose", "take_over", "ask", "ping"]


class Player:
    """The bot, its present connection, and what it should have seen.

    Attributes:
        turn: the question that is open.
        codes: the errors that it has earned.
        points: what it should have.
        asked: the number of the turn that it should be asked.
        numbers: the ``seq`` of all events that it was sent.
    """

    def __init__(self, host: RaceHost, bot: RawClient) -> None:
        self.turn: Received = {}
        self.codes: list[str] = []
        self.points = 0
        self.asked = 1
        self.numbers: list[int] = []
        self._host = host
        self._bot = bot
        self._errors: list[str] = []
        self._early: Received | None = None

    async def act(self, action: str) -> None:
        """Do one thing, and see that the question afterwards is the right one."""
        await getattr(self, action)()
        await self.expect_turn()

    async def answer(self) -> None:
        await self._bot.move(self.turn, STEP)
        self._advance()

    async def answer_twice(self) -> None:
        await self.answer()
        await self._bot.move(self.turn, STEP)
        self.codes.append("not_your_turn")
        # The error may come before the next question or after it.
        while (message := await self._bot.receive())["type"] != "error":
            self._early = message if message["type"] == "turn" else None

    async def answer_an_old_turn(self) -> None:
        await self._bot.move(self.turn, STEP, turn=self.asked - 1)
        self.codes.append("not_your_turn")
        await self.answer()

    async def lose(self) -> None:
        await self._bot.stream.aclose()
        await self.take_over()

    async def take_over(self) -> None:
        self._collect()
        self._bot = await self._host.bot("a", wants=["state"])

    async def ask(self) -> None:
        await self._bot.send(type="steps", match="m", turn=self.asked, steps=STEP)
        legal = await self._bot.expect("legal")
        assert (legal["turn"], legal["turn_over"]) == (self.asked, True)
        await self.answer()

    async def ping(self) -> None:
        await self._bot.send(type="ping", nonce=self.asked)
        assert (await self._bot.expect("pong"))["nonce"] == self.asked
        await self.answer()

    async def expect_turn(self) -> None:
        """The next question is for the turn that the model says, in the position that it says."""
        self.turn, self._early = self._early or await self._bot.expect("turn"), None
        assert self.turn["turn"] == self.asked
        assert self.turn["state"]["points"][0] == self.points

    async def resign(self) -> None:
        """Leave the match, and answer all the same."""
        await self._bot.send(type="resign", match="m")
        await self._bot.expect("match_over")
        await self._bot.move(self.turn, STEP)
        self.codes.append("late")
        await self._bot.expect("error")
        self._collect()

    def errors(self) -> list[str]:
        """The errors that it has been sent."""
        return self._errors

    def _advance(self) -> None:
        self.points += 1
        self.asked += 2

    def _collect(self) -> None:
        received = self._bot.received
        self.numbers += [message["seq"] for message in received if "seq" in message]
        self._errors += [message["code"] for message in received if message["type"] == "error"]


async def play(actions: Sequence[str]) -> tuple[Player, MatchRecord]:
    async with race_host("a", "b", lag_ms=0) as host:
        player = Player(host, await host.bot("a", wants=["state"]))
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=1000)
        await player.expect_turn()
        for action in actions:
            await player.act(action)
        await player.resign()
        return player, await match.record()


@settings(max_examples=40)
@given(st.lists(st.sampled_from(ACTIONS), max_size=15))
def test_session_follows_the_model_for_any_sequence_of_actions(actions: list[str]) -> None:
    player, record = trio.run(play, actions)
    assert player.errors() == player.codes
    assert player.numbers == list(range(len(player.numbers)))
    forfeits = [forfeit.reason for forfeit in record.forfeits]
    assert forfeits == ["resigned"]
    assert len(record.events) - 1 == player.asked - 1
