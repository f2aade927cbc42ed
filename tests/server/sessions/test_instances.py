"""A bot of which the host starts several processes: one bot to all others, several sessions."""

from __future__ import annotations

from tests.scripted import RaceHost, RawClient, race_host

from polynya_server.sessions.tokens import hash_token


async def second_process(host: RaceHost, name: str) -> RawClient:
    """A second connection of the bot, with a token of its own."""
    host.server.add_token(name, hash_token("second"), instance=2)
    client = await host.client()
    welcome = await client.hello(name=name, token="second")  # noqa: S106
    assert (welcome["type"], welcome["bot"]) == ("welcome", name)
    return client


async def test_each_process_plays_a_match_at_the_same_time() -> None:
    async with race_host("a", "b", "c") as host:
        one = await host.bot("a")
        two = await second_process(host, "a")
        await host.good_bot("b")
        await host.good_bot("c")
        matches = [host.match("m", "a", "b", goal=3), host.match("n", "a", "c", goal=3)]
        turns = [await one.expect("turn"), await two.expect("turn")]
        assert {turn["match"] for turn in turns} == {"m", "n"}
        for client, turn in zip((one, two), turns, strict=True):
            await client.move(turn, [["add", 3]])
        records = [await match.record() for match in matches]
        assert [record.setup.players for record in records] == [("a", "b"), ("a", "c")]


async def test_the_bot_takes_as_many_matches_as_its_processes_together() -> None:
    async with race_host("a") as host:
        await host.bot("a")
        assert host.server.connected["a"].concurrency == 1
        await second_process(host, "a")
        bot = host.server.connected["a"]
        assert (list(host.server.connected), bot.name, bot.concurrency) == (["a"], "a", 2)


async def test_a_process_that_comes_back_takes_over_its_own_session_only() -> None:
    async with race_host("a", "b") as host:
        one = await host.bot("a")
        two = await second_process(host, "a")
        await second_process(host, "a")
        assert await two.expect_end() == [{"type": "goodbye", "reason": "replaced"}]
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        await one.move(await one.expect("turn"), [["add", 3]])
        assert (await match.record()).reason == "finished"


async def test_a_match_begins_with_the_process_that_is_connected() -> None:
    async with race_host("a", "b", "c") as host:
        one = await host.bot("a")
        two = await second_process(host, "a")
        await host.good_bot("b")
        await host.good_bot("c")
        first = host.match("m", "a", "b", goal=3)
        await one.expect("turn")
        await one.stream.aclose()
        second = host.match("n", "a", "c", goal=3)
        await two.move(await two.expect("turn"), [["add", 3]])
        assert (await second.record()).reason == "finished"
        again = await host.bot("a")
        await again.move(await again.expect("turn"), [["add", 3]])
        assert (await first.record()).reason == "finished"
