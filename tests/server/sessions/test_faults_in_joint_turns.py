"""Faults in a joint turn on real sockets: silence, late answers, forfeits, resignations."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
from tests.games.example_games import example_games
from tests.scripted import RawClient
from tests.scripted.game_host import hosting, together
from tests.scripted.race_host import PATIENT, PlayedMatch, RaceHost
from tests.scripted.raw_client import Received

from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup, TurnRecord

__all__ = ["example_games"]

NAMES = ("ann", "bob", "cid", "dot")
SHORT = Clock(move_ms=300)


class Table:
    """A match of goofspiel in which all seats are asked for the first turn.

    Attributes:
        clients: the bots by seat.
        turns: the `turn` of each.
    """

    def __init__(self, host: RaceHost, players: int) -> None:
        self.host = host
        self.players = players
        self.clients: list[RawClient] = []
        self.turns: list[Received] = []

    async def begin(self, clock: Clock) -> None:
        names = NAMES[: self.players]
        self.clients = [await self.host.bot(name, wants=["legal"]) for name in names]
        setup = MatchSetup(
            match="m", game="goofspiel", players=names, clock=clock, seed=7, options={"cards": 3}
        )
        self._played = PlayedMatch(setup, {})
        self.host.in_background(self._played.play, self.host.server)
        self.turns = await together(*self.clients)

    async def bid(self, seat: int, card: int) -> None:
        await self.clients[seat].move(self.turns[seat], [["bid", card]])

    async def resign(self, seat: int) -> None:
        """Resign, and return when the server has handled it."""
        client = self.clients[seat]
        await client.send(type="resign", match="m")
        await client.send(type="ping", nonce="resigned")
        await client.expect("pong")

    async def told(self, seat: int) -> list[tuple[str, int, int, object]]:
        """The end of the first turn as a seat is told it: type, turn, seat, steps or reason."""
        client = self.clients[seat]
        while not (ends := [each for each in client.received if "acting" in each][1:]):
            await client.receive()
        told = client.of_type("forfeited", "moved")
        assert told[-1] is ends[0]
        return [
            (each["type"], each["turn"], each["seat"], each.get("reason", each.get("steps")))
            for each in told
        ]

    async def over(self, seat: int) -> tuple[list[int], str]:
        """Ranking and reason as a seat is told them."""
        client = self.clients[seat]
        while not (found := client.of_type("match_over")):
            await client.receive()
        return found[0]["ranking"], found[0]["reason"]

    async def record(self) -> MatchRecord:
        return await self._played.record()


def bids(record: MatchRecord) -> list[tuple[int, int]]:
    """Turn and seat of each recorded bid."""
    return [(event.turn, event.seat) for event in record.events if isinstance(event, TurnRecord)]


def out(turn: int, seat: int, reason: str) -> tuple[str, int, int, str]:
    return "forfeited", turn, seat, reason


def bid(turn: int, seat: int, card: int) -> tuple[str, int, int, object]:
    return "moved", turn, seat, [["bid", card]]


async def test_if_both_are_silent_the_match_counts_as_if_both_had_been_absent() -> None:
    async with hosting(*NAMES) as host:
        table = Table(host, 2)
        await table.begin(SHORT)
        both = [out(1, 0, "timeout"), out(1, 1, "timeout")]
        assert [both, both] == [await table.told(seat) for seat in (0, 1)]
        assert await table.over(0) == ([1, 1], "forfeit")
        record = await table.record()
    assert (record.ranking, record.reason, record.all_forfeited) == (None, "aborted", True)


@pytest.mark.parametrize("first", [0, 1])
async def test_a_late_answer_of_either_seat_is_void(first: int) -> None:
    """Both answer when the turn is over: the errors say that it is late, nothing is played."""
    async with hosting(*NAMES) as host:
        table = Table(host, 2)
        await table.begin(SHORT)
        assert await table.over(0) == ([1, 1], "forfeit")
        for seat in (first, 1 - first):
            await table.bid(seat, 1)
            error = await table.clients[seat].expect("error")
            assert (error["code"], error["match"]) == ("late", "m")
        assert bids(await table.record()) == []


async def test_three_of_four_silent_seats_share_a_rank_and_the_answer_wins() -> None:
    async with hosting(*NAMES) as host:
        table = Table(host, 4)
        await table.begin(SHORT)
        await table.bid(2, 1)
        silent = [out(1, seat, "timeout") for seat in (0, 1, 3)]
        expected = [*silent, bid(1, 2, 1)]
        assert [expected] * 4 == [await table.told(seat) for seat in range(4)]
        assert await table.over(2) == ([2, 2, 1, 2], "forfeit")


@pytest.mark.parametrize("answers", [(0, 2), (2, 0)])
async def test_a_seat_forfeits_while_the_others_answer(answers: Sequence[int]) -> None:
    async with hosting(*NAMES) as host:
        table = Table(host, 3)
        await table.begin(PATIENT)
        await table.bid(answers[0], 3)
        await table.clients[1].move(table.turns[1], [["bid", 99]])
        await table.bid(answers[1], 2)
        cards = {answers[0]: 3, answers[1]: 2}
        expected = [out(1, 1, "illegal_move"), bid(1, 0, cards[0]), bid(1, 2, cards[2])]
        assert [expected] * 3 == [await table.told(seat) for seat in range(3)]


async def test_a_bot_that_leaves_for_good_leaves_in_the_turn_that_is_asked_for() -> None:
    async with hosting(*NAMES, reconnect_ms=200) as host:
        table = Table(host, 3)
        await table.begin(Clock(move_ms=60_000))
        await table.bid(0, 3)
        await table.clients[1].stream.aclose()
        with trio.move_on_after(0.4):  # twice the time in which it could come back
            await table.clients[0].expect("forfeited", "moved")
        assert table.clients[0].of_type("forfeited", "moved") == []
        await table.bid(2, 2)
        expected = [out(1, 1, "disconnected"), bid(1, 0, 3), bid(1, 2, 2)]
        assert expected == await table.told(0)


async def test_if_all_resign_the_last_one_is_left_and_wins() -> None:
    """The resignations alone end the match at once, before the last seat resigns too."""
    async with hosting(*NAMES) as host:
        table = Table(host, 3)
        await table.begin(PATIENT)
        for seat in range(3):
            await table.resign(seat)
        assert [await table.over(seat) for seat in range(3)] == [([2, 2, 1], "forfeit")] * 3
        assert bids(await table.record()) == []


async def test_an_answer_before_the_others_resign_is_void() -> None:
    async with hosting(*NAMES) as host:
        table = Table(host, 3)
        await table.begin(PATIENT)
        await table.bid(2, 1)
        await table.resign(0)
        await table.resign(1)
        expected = [out(1, 0, "resigned"), out(1, 1, "resigned")]
        assert [expected] * 3 == [await table.told(seat) for seat in range(3)]
        assert bids(await table.record()) == []


async def test_a_seat_that_resigns_with_its_answer_in_is_told_with_the_turn() -> None:
    async with hosting(*NAMES) as host:
        table = Table(host, 3)
        await table.begin(PATIENT)
        await table.bid(0, 1)
        await table.resign(0)
        await table.bid(1, 2)
        assert table.clients[1].of_type("forfeited", "moved") == []
        await table.bid(2, 3)
        expected = [out(1, 0, "resigned"), bid(1, 1, 2), bid(1, 2, 3)]
        assert [expected] * 2 == [await table.told(seat) for seat in (1, 2)]
