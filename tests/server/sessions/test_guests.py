"""Guests play in matches that name them, and are seen by nobody who pairs whoever is there."""

from __future__ import annotations

import pytest
from tests.scripted import race_host, token

from polynya_server.sessions.tokens import hash_token


async def test_a_guest_plays_and_is_not_among_the_bots() -> None:
    async with race_host("bot") as host:
        host.server.guests.invite("guest", hash_token(token("guest")))
        await host.good_bot("bot")
        await host.good_bot("guest")
        assert (list(host.server.connected), list(host.server.guests)) == (["bot"], ["guest"])
        assert (await host.match("m", "guest", "bot").record()).reason == "finished"


async def test_a_name_that_is_taken_is_not_given_to_a_guest() -> None:
    async with race_host("bot") as host:
        with pytest.raises(ValueError, match="bot is taken"):
            host.server.guests.invite("bot", hash_token(token("bot")))


@pytest.mark.parametrize("name", ["person-Ada", "builtin-greedy"])
async def test_name_like_a_guests_cannot_be_registered(name: str) -> None:
    async with race_host(open_registration=True) as host:
        answer = await (await host.client()).hello(name=name)
        assert (answer["code"], answer["fatal"]) == ("bad_name", True)
        assert "person- or builtin-" in answer["message"]


async def test_name_of_a_dismissed_guest_is_free() -> None:
    async with race_host() as host:
        host.server.guests.invite("guest", hash_token(token("guest")))
        host.server.guests.dismiss("guest")
        answer = await (await host.client()).hello(name="guest", token=token("guest"))
        assert (answer["code"], host.server.guests.is_taken("guest")) == ("unauthorized", False)


async def test_a_name_that_the_host_gives_to_a_bot_meanwhile_stays_with_it() -> None:
    async with race_host() as host:
        host.server.guests.invite("name", hash_token(token("guest")))
        host.server.add_token("name", hash_token(token("name")))
        host.server.guests.dismiss("name")
        await host.bot("name")
        assert list(host.server.connected) == ["name"]
