"""What a bot is told that its author should know: when it changes, and when the bot comes."""

from __future__ import annotations

from tests.scripted import RawClient, race_host

from polynya_server.sessions.author_notices import MAX_BYTES, MAX_NOTICES

RESTS = {"type": "notice", "code": "resting", "message": "a rests for 64 s"}


async def after_a_ping(bot: RawClient) -> list[object]:
    """What has been sent to a bot, before the answer to a ping of its own."""
    before = len(bot.received)
    await bot.send(type="ping", nonce="all")
    await bot.expect("pong")
    return list(bot.received[before:-1])


async def test_notice_is_sent_when_it_arises() -> None:
    async with race_host("a") as host:
        a = await host.bot("a")
        host.server.set_notice("a", "resting", "a rests for 64 s")
        assert await a.receive() == RESTS


async def test_standing_notices_are_sent_after_welcome() -> None:
    async with race_host("a") as host:
        host.server.set_notice("a", "resting", "a rests for 64 s", match="m1")
        a = await host.bot("a")
        assert await a.receive() == {**RESTS, "match": "m1"}


async def test_known_notice_is_not_sent_again() -> None:
    async with race_host("a") as host:
        a = await host.bot("a")
        host.server.set_notice("a", "resting", "a rests for 64 s")
        host.server.set_notice("a", "resting", "a rests for 64 s")
        assert await after_a_ping(a) == [RESTS]


async def test_a_notice_takes_the_place_of_the_one_before() -> None:
    async with race_host("a") as host:
        host.server.set_notice("a", "resting", "a rests for 64 s")
        host.server.set_notice("a", "suspended", "a is suspended")
        a = await host.bot("a")
        told = await after_a_ping(a)
        assert told == [{"type": "notice", "code": "suspended", "message": "a is suspended"}]


async def test_expired_notice_is_cleared_once() -> None:
    async with race_host("a") as host:
        a = await host.bot("a")
        host.server.set_notice("a", "suspended", "a is suspended")
        host.server.clear_notice("a", "a is pardoned")
        host.server.clear_notice("a", "a is pardoned")
        _, *then = await after_a_ping(a)
        assert then == [{"type": "notice", "code": "cleared", "message": "a is pardoned"}]


async def test_bot_without_notices_is_sent_none() -> None:
    async with race_host("a") as host:
        host.server.set_notice("a", "suspended", "a is suspended")
        host.server.clear_notice("a")
        assert await after_a_ping(await host.bot("a")) == []


async def test_other_bots_and_spectators_are_sent_no_notice() -> None:
    async with race_host("a", "b") as host:
        b = await host.bot("b")
        watcher = await host.client()
        await watcher.hello(role="spectator", name="a")
        host.server.set_notice("a", "suspended", "a is suspended")
        assert (await after_a_ping(b), await after_a_ping(watcher)) == ([], [])


async def test_a_sentence_is_made_printable_and_short_enough_for_any_client() -> None:
    async with race_host("a") as host:
        a = await host.bot("a", max_frame=1024)
        host.server.set_notice("a", "not_entered", "\x1b[2J" + "ž" * 1000, match="m" * 64)
        message = (await a.receive())["message"]
        assert (message[:4], len(message.encode()) <= MAX_BYTES) == ("?[2J", True)


async def test_notices_are_kept_for_so_many_bots_and_no_more() -> None:
    async with race_host("a", "b") as host:
        for name in ("a", *(f"n{number}" for number in range(MAX_NOTICES - 1)), "b"):
            host.server.set_notice(name, "suspended", f"{name} is suspended")
        a, b = await host.bot("a"), await host.bot("b")
        assert (len(await after_a_ping(a)), len(await after_a_ping(b))) == (0, 1)
