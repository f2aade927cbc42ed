"""Registering a new name: which names are taken, how many, and what if the welcome is lost."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from tests.scripted import race_host
from tests.scripted.race_host import RaceHost
from trio.testing import MockClock

from polynya_server import MemoryJournal, hash_token
from polynya_server.log import MAX_IN_WINDOW

MINE = "5d9c68c6c50ed3d02a2fcf54f63993b6"
OPEN: dict[str, Any] = {"open_registration": True}


async def answer(host: RaceHost, **hello: Any) -> dict[str, Any]:
    """What a new connection is told to a hello."""
    return await (await host.client()).hello(**hello)


async def code(host: RaceHost, **hello: Any) -> str:
    """The same in a word: welcome, or the code of the error."""
    said = await answer(host, **hello)
    return str(said.get("code", said["type"]))


@pytest.mark.parametrize(
    "name",
    ["-", "-x", "--help", ".", "..", ".x", "a.", "person-ada", "PERSON-ada", "Builtin-x", "ANN"],
)
async def test_a_new_name_that_would_be_mistaken_is_refused(name: str) -> None:
    async with race_host("ann", **OPEN) as host:
        assert await code(host, name=name) == "bad_name"


@pytest.mark.parametrize("name", ["a", "_", "a-", "a.b", "CON", "aux.txt", "x" * 32, "person"])
async def test_other_new_names_are_taken(name: str) -> None:
    async with race_host("ann", **OPEN) as host:
        assert await code(host, name=name) == "welcome"


@pytest.mark.parametrize("name", ["-x", ".", "..", "a.", "person-ada", "ANN"])
async def test_a_bot_that_has_such_a_name_is_welcome_with_its_token(name: str) -> None:
    async with race_host("ann", name, **OPEN) as host:
        bot = await host.bot(name)
        assert bot.received[-1]["bot"] == name


async def test_released_name_is_free_again() -> None:
    async with race_host("ann", **OPEN) as host:
        host.server.remove_token("ann")
        assert await code(host, name="ANN") == "welcome"


async def test_a_name_that_only_the_journal_knows_stands_in_the_way() -> None:
    class Journal(MemoryJournal):
        async def register(
            self, name: str, token_hash: bytes, instead_of: bytes | None = None
        ) -> str | None:
            del token_hash, instead_of
            return "ann" if name.lower() == "ann" else None

    async with race_host(journal=Journal(), **OPEN) as host:
        assert [await code(host, name=name) for name in ("ann", "Ann")] == [
            "name_taken",
            "bad_name",
        ]


# A lost welcome.


async def test_bot_that_lost_its_welcome_gets_a_fresh_token() -> None:
    async with race_host(**OPEN) as host:
        lost = await answer(host, name="new", registration=MINE)
        again = await answer(host, name="new", registration=MINE)
        assert again["token"] != lost["token"]
        assert await code(host, name="new", token=lost["token"]) == "unauthorized"
        assert await code(host, name="new", token=again["token"]) == "welcome"


async def test_bot_that_asks_again_while_its_name_is_recorded_gets_a_token() -> None:
    class Journal(MemoryJournal):
        """One write after the other; others hear of a new name before its writer does."""

        def __init__(self) -> None:
            super().__init__()
            self.heard, self.asked_again, self.answers = trio.Event(), trio.Event(), trio.Event()
            self._one = trio.Lock()

        async def register(
            self, name: str, token_hash: bytes, instead_of: bytes | None = None
        ) -> str | None:
            if self.heard.is_set():
                self.asked_again.set()
            async with self._one:
                taken = await super().register(name, token_hash, instead_of)
                if not self.heard.is_set():
                    host.server.add_token(name, token_hash)
                    self.heard.set()
                    await self.answers.wait()
                return taken

    journal = Journal()
    async with race_host(journal=journal, **OPEN) as host, trio.open_nursery() as nursery:
        nursery.start_soon(partial(answer, host, name="new", registration=MINE))
        await journal.heard.wait()
        assert await code(host, name="new", registration=MINE[::-1]) == "name_taken"
        again = await host.client()
        await again.send(type="hello", protocol=1, name="new", registration=MINE)
        with trio.fail_after(60):
            await journal.asked_again.wait()
        journal.answers.set()
        assert (await again.expect("welcome"))["token"]


@pytest.mark.parametrize("other", [None, MINE[::-1]])
async def test_no_other_registration_gets_one(other: str | None) -> None:
    async with race_host(**OPEN) as host:
        await answer(host, name="new", registration=MINE)
        assert await code(host, name="new", registration=other) == "name_taken"


async def test_bot_registered_without_a_registration_id_cannot_ask_again() -> None:
    async with race_host(**OPEN) as host:
        await answer(host, name="new")
        assert await code(host, name="new", registration=MINE) == "name_taken"


async def test_a_token_that_was_used_is_not_replaced() -> None:
    async with race_host(**OPEN) as host:
        token = (await answer(host, name="new", registration=MINE))["token"]
        assert await code(host, name="new", token=token) == "welcome"
        assert await code(host, name="new", registration=MINE) == "name_taken"


async def test_a_token_that_was_used_alone_is_not_replaced() -> None:
    async with race_host(**OPEN) as host:
        token = (await answer(host, name="new", registration=MINE))["token"]
        assert await code(host, token=token) == "welcome"
        assert await code(host, name="new", registration=MINE) == "name_taken"


async def test_a_token_that_the_host_has_given_is_not_replaced() -> None:
    async with race_host(**OPEN) as host:
        await answer(host, name="new", registration=MINE)
        host.server.add_token("new", hash_token("the host's"))
        assert await code(host, name="new", registration=MINE) == "name_taken"


@pytest.mark.parametrize(("waited_s", "said"), [(599, "welcome"), (600, "name_taken")])
def test_ten_minutes_after_the_first_hello_it_is_too_late(waited_s: int, said: str) -> None:
    clock = MockClock()

    async def run() -> str:
        async with race_host(**OPEN) as host:
            await answer(host, name="new", registration=MINE)
            clock.jump(waited_s - 1)
            if said == "welcome":
                await answer(host, name="new", registration=MINE)
            clock.jump(1)
            return await code(host, name="new", registration=MINE)

    assert trio.run(run, clock=clock) == said


class SlowJournal(MemoryJournal):
    """Records a registration when a test says so, and lets it wait for each."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = trio.Event()
        self._asked, self.asked = trio.open_memory_channel[str](10)
        self._in_order = trio.Lock()

    async def register(
        self, name: str, token_hash: bytes, instead_of: bytes | None = None
    ) -> str | None:
        self._asked.send_nowait(name)
        async with self._in_order:
            await self.may_answer.wait()
            return await super().register(name, token_hash, instead_of)


async def test_a_hello_that_comes_while_the_first_is_recorded_gets_a_token_too() -> None:
    journal = SlowJournal()
    async with race_host(journal=journal, **OPEN) as host:
        first, second = await host.client(), await host.client()
        for client in (first, second):
            await client.send(type="hello", protocol=1, name="new", registration=MINE)
            await journal.asked.receive()
        journal.may_answer.set()
        token = (await second.receive())["token"]
        assert await code(host, name="new", token=token) == "welcome"


# How many.


def test_after_a_burst_new_names_are_taken_as_fast_as_a_minute_allows() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host(registration_burst=2, registrations_per_minute=6, **OPEN) as host:
            said = [await code(host, name=f"n{number}") for number in range(3)]
            assert said == ["welcome", "welcome", "rate_limited"]
            clock.jump(9.9)
            refused = await answer(host, name="n3")
            assert (refused["fatal"], "try again in 1 s" in refused["message"]) == (True, True)
            clock.jump(0.1)
            assert [await code(host, name=f"m{number}") for number in range(2)] == [
                "welcome",
                "rate_limited",
            ]

    trio.run(run, clock=clock)


async def test_bot_with_a_token_is_welcome_beyond_the_registration_limit() -> None:
    async with race_host("bot", registration_burst=1, **OPEN) as host:
        assert [await code(host, name=name) for name in "ab"] == ["welcome", "rate_limited"]
        await host.bot("bot")


async def test_refused_registration_is_not_counted() -> None:
    async with race_host("bot", registration_burst=1, **OPEN) as host:
        for name in ("bot", "-x", "Bot"):
            assert await code(host, name=name) in ("name_taken", "bad_name")
        assert await code(host, name="new") == "welcome"


# Wrong tokens.


def test_after_a_burst_wrong_tokens_are_rate_limited_by_address() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("bot", wrong_token_burst=2, wrong_tokens_per_minute=6) as host:
            wrong = [{"name": "bot", "token": "x"}, {"token": "y"}, {"token": "z"}]
            said = [await code(host, **hello) for hello in wrong]
            assert said == ["unauthorized", "unauthorized", "rate_limited"]
            clock.jump(10)
            assert await code(host, token="z") == "unauthorized"  # noqa: S106
            refused = await answer(host, token="z")  # noqa: S106
            assert (refused["fatal"], "try again in 10 s" in refused["message"]) == (True, True)

    trio.run(run, clock=clock)


async def test_right_token_is_welcome_however_many_wrong_ones_came() -> None:
    async with race_host("bot", wrong_token_burst=1) as host:
        said = [await code(host, name="bot", token="x") for _ in range(3)]  # noqa: S106
        assert said == ["unauthorized", "rate_limited", "rate_limited"]
        await host.bot("bot")


async def test_flood_of_refused_hellos_does_not_fill_the_log() -> None:
    with capture_logs() as logs:
        async with race_host() as host:
            for _ in range(110):
                await code(host, name="unknown")
    refused = [entry for entry in logs if entry["event"] == "a hello was refused"]
    assert len(refused) == MAX_IN_WINDOW + 1
    assert refused[-1]["times"] == 100
