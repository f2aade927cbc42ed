"""Hello and welcome: who may come in, and as whom; what is sent to whom in a match."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from tests.scripted import RawClient, race_host, token
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_server.records import MemoryJournal, TurnRecord
from polynya_server.sessions.tokens import hash_token


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        ({"name": "new"}, "unauthorized"),
        ({"name": "known"}, "name_taken"),
        ({"name": "known", "token": "wrong"}, "unauthorized"),
        ({"name": "known", "token": token("other")}, "unauthorized"),
        ({"name": "new", "token": "unknown"}, "unauthorized"),
        ({"token": "unknown"}, "unauthorized"),
        ({"name": "sp ace"}, "bad_name"),
        ({"name": "x" * 33}, "bad_name"),
        ({}, "malformed"),
        ({"name": "known", "token": token("known"), "concurrency": 0}, "malformed"),
        ({"name": "known", "token": token("known"), "protocol": 2}, "unsupported_protocol"),
    ],
)
async def test_a_hello_that_is_refused_gets_one_fatal_error_and_the_end(
    hello: dict[str, Any], code: str
) -> None:
    async with race_host("known", "other") as host:
        client = await host.client()
        await client.send(**{"type": "hello", "protocol": 1, **hello})
        ending = await client.expect_end()
        assert [(error["code"], error["fatal"]) for error in ending] == [(code, True)]


async def test_the_supported_protocols_are_named() -> None:
    async with race_host() as host:
        client = await host.client()
        assert (await client.hello(protocol=7, name="x"))["supported"] == [1]


async def test_welcome_has_the_name_in_force_and_the_limits() -> None:
    async with race_host("bot", max_frame=5000, heartbeat_ms=7000) as host:
        client = await host.client()
        welcome = await client.hello(name="bot", token=token("bot"))
        session = welcome.pop("session")
        version = welcome["server"].pop("version")
        assert welcome == {
            "type": "welcome",
            "protocol": 1,
            "server": {"name": "polynya"},
            "bot": "bot",
            "heartbeat_ms": 7000,
            "max_frame": 5000,
            "matches": [],
        }
        assert len(session) == 16
        assert version.count(".") == 2


@pytest.mark.parametrize("name", [None, "some.other-name"])
async def test_a_token_alone_names_its_bot(name: str | None) -> None:
    async with race_host("bot") as host:
        client = await host.client()
        assert (await client.hello(name=name, token=token("bot")))["bot"] == "bot"


async def test_a_new_name_is_registered_where_that_is_open_and_its_token_works() -> None:
    async with race_host(open_registration=True) as host:
        first = await host.client()
        welcome = await first.hello(name="new")
        assert host.journal.token_hashes() == {"new": hash_token(welcome["token"])}
        again = await host.client()
        assert "token" not in await again.hello(name="new", token=welcome["token"])


async def test_frames_may_follow_hello_before_the_welcome_of_a_registration() -> None:
    async with race_host(open_registration=True) as host:
        client = await host.client()
        await client.send(type="hello", protocol=1, name="new")
        await client.send(type="ping", nonce="early")
        assert [(await client.receive())["type"], (await client.receive())["type"]] == [
            "welcome",
            "pong",
        ]


class SlowJournal(MemoryJournal):
    """Registers when a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.may_register = trio.Event()

    async def register(
        self, name: str, token_hash: bytes, instead_of: bytes | None = None
    ) -> str | None:
        await self.may_register.wait()
        return await super().register(name, token_hash, instead_of)


def test_registration_may_take_longer_than_the_hello_timeout() -> None:
    clock, journal = MockClock(), SlowJournal()

    async def run() -> None:
        async with race_host(journal=journal, open_registration=True, hello_ms=100) as host:
            client = await host.client()
            await client.send(type="hello", protocol=1, name="new")
            await wait_all_tasks_blocked()
            clock.jump(1)
            await wait_all_tasks_blocked()
            journal.may_register.set()
            assert (await client.receive())["type"] == "welcome"

    trio.run(run, clock=clock)


async def test_simultaneous_registrations_of_one_name_give_one() -> None:
    async with race_host(open_registration=True) as host:
        clients = [await host.client() for _ in range(2)]
        for client in clients:
            await client.send(type="hello", protocol=1, name="new")
        answers = [await client.receive() for client in clients]
        assert sorted(answer.get("code", "welcome") for answer in answers) == [
            "name_taken",
            "welcome",
        ]


async def test_software_of_a_bot_is_shown_to_the_host() -> None:
    software = {"name": "deep", "version": "1", "language": "C"}
    async with race_host("bot", max_concurrency=8) as host:
        await host.bot("bot", games=["race"], concurrency=9, software=software)
        bot = host.server.connected["bot"]
        assert (bot.name, bot.games, bot.concurrency, bot.in_play) == (
            "bot",
            frozenset({"race"}),
            8,
            0,
        )
        assert bot.software is not None
        assert bot.software.language == "C"


@pytest.mark.parametrize("said", [None, {"name": "deep", "version": "9", "language": "C"}])
async def test_version_that_the_host_knows_counts_instead_of_what_the_hello_says(
    said: dict[str, str] | None,
) -> None:
    async with race_host("bot") as host:
        host.server.add_token("bot", hash_token(token("bot")), version="1.2")
        await host.bot("bot", **({} if said is None else {"software": said}))
        software = host.server.connected["bot"].software
        assert software is not None
        assert (software.version, software.language) == ("1.2", said and "C")


async def test_version_of_a_token_ends_with_it() -> None:
    async with race_host("bot") as host:
        host.server.add_token("bot", hash_token(token("bot")), version="1.2")
        host.server.add_token("bot", hash_token(token("bot")))
        await host.bot("bot", software={"version": "9"})
        software = host.server.connected["bot"].software
        assert software is not None
        assert software.version == "9"


async def test_a_host_can_wait_for_bots_to_come_and_go() -> None:
    async with race_host("bot") as host:
        version = host.server.version
        bot = await host.bot("bot")
        version = await host.server.changed(version)
        assert list(host.server.connected) == ["bot"]
        await bot.send(type="goodbye")
        await host.server.changed(version)
        assert list(host.server.connected) == []


async def test_a_host_is_told_the_name_of_each_bot_that_comes_plays_and_goes() -> None:
    changed: set[str] = set()
    seen = []

    def look() -> None:
        seen.append(sorted(changed))
        changed.clear()

    async with race_host("a", "b", "late") as host:
        with host.server.watching_bots(changed.add):
            a, b = await two_bots(host)
            look()
            host.match("m", "a", "b")
            await a.expect("match_start")
            look()
            await b.send(type="goodbye")
            await a.expect("match_over")
            look()
        await host.bot("late")
        look()
    assert seen == [["a", "b"], ["a", "b"], ["a", "b"], []]


@pytest.mark.parametrize("nonce", [7, "text", "x" * 64, 2**63])
async def test_a_ping_is_answered_with_its_nonce(nonce: object) -> None:
    async with race_host("bot") as host:
        bot = await host.bot("bot")
        await bot.send(type="ping", nonce=nonce)
        assert await bot.receive() == {"type": "pong", "nonce": nonce}


async def two_bots(host: Any, **wants: list[str]) -> tuple[RawClient, RawClient]:
    return (
        await host.bot("a", wants=wants.get("a", [])),
        await host.bot("b", wants=wants.get("b", [])),
    )


async def test_a_bot_without_wants_is_sent_what_it_needs_to_follow_the_match() -> None:
    async with race_host("a", "b", lag_ms=0) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=2)
        await a.expect("match_over")
        del match
        start, turn, moved, again, over = a.received[1:]
        assert start == {
            "type": "match_start",
            "match": "m",
            "seq": 0,
            "game": "race",
            "seat": 0,
            "players": [
                {"seat": 0, "name": "a", "rating": None},
                {"seat": 1, "name": "b", "rating": None},
            ],
            "options": {"goal": 2},
            "clock": {"initial_ms": None, "increment_ms": None, "move_ms": 60_000},
            "state": {
                "game": "race",
                "goal": 2,
                "points": [0, 0],
                "to_move": 0,
                "doubled": False,
                "forfeited": [],
            },
        }
        assert turn == {"type": "turn", "match": "m", "seq": 1, "turn": 1, "remaining_ms": 60_000}
        assert moved == {
            "type": "moved",
            "match": "m",
            "seq": 2,
            "turn": 2,
            "seat": 1,
            "steps": [["add", 1]],
            "elapsed_ms": moved["elapsed_ms"],
            "remaining_ms": [None, None],
        }
        assert (again["seq"], again["turn"]) == (3, 3)
        assert over == {
            "type": "match_over",
            "match": "m",
            "seq": 4,
            "ranking": [1, 2],
            "scores": [2, 1],
            "reason": "finished",
            "replay": "m",
        }


async def test_a_bot_gets_state_legal_and_its_own_moves_if_it_wants_them() -> None:
    async with race_host("a", "b", lag_ms=0) as host:
        a = await host.bot("a", wants=["state", "legal", "moved", "unknown", 5])
        await host.good_bot("b")
        host.match("m", "a", "b", goal=1)
        turn = await a.expect("turn")
        assert turn["state"]["points"] == [0, 0]
        assert turn["legal"] == [["add", 1], ["add", 2], ["add", 3], ["double"]]
        await a.move(turn, [["add", 1]])
        moved = await a.expect("moved")
        assert (moved["seat"], moved["seq"]) == (0, 2)


async def test_a_bot_may_ask_which_steps_follow_others_in_its_turn() -> None:
    async with race_host("a", "b", lag_ms=0) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b")
        turn = await a.expect("turn")

        async def ask(steps: Any, **keys: Any) -> dict[str, Any]:
            await a.send(**{"type": "steps", "match": "m", "turn": 1, "steps": steps, **keys})
            return await a.receive()

        answer = {"type": "legal", "match": "m", "turn": 1}
        adds = [["add", 1], ["add", 2], ["add", 3]]
        assert await ask([]) == {**answer, "legal": [*adds, ["double"]], "turn_over": False}
        assert await ask([["double"]]) == {**answer, "legal": adds, "turn_over": False}
        assert await ask([["add", 1]]) == {**answer, "legal": [], "turn_over": True}
        refused = await ask([["add", 1], ["add", 1]])
        assert (refused["code"], refused["fatal"]) == ("malformed", False)
        assert (await ask([], turn=2))["code"] == "not_your_turn"
        assert (await ask([], match="none"))["code"] == "unknown_match"
        await a.move(turn, [["add", 1]])
        assert (await a.expect("turn"))["turn"] == 3


async def test_info_is_kept_in_the_record() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        await a.move(await a.expect("turn"), [["add", 3]], info={"score": 0.5, "text": "won"})
        record = await match.record()
        assert isinstance(record.events[0], TurnRecord)
        assert record.events[0].info == {"score": 0.5, "text": "won"}
