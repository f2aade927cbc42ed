"""What a host changes of bots while a server runs: tokens rotated and revoked, bots put back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scripted import race_host
from tests.scripted.race_host import token

from polynya_app.application import run
from polynya_server.sessions.tokens import hash_token
from polynya_store import Store, StoreJournal
from polynya_store.bots import bot_repository
from polynya_tournaments.ladder.roster_sync import RosterChanges, RosterPoller
from polynya_tournaments.ladder.suspensions import Suspensions


async def test_a_revoked_bot_is_disconnected_and_cannot_come_back(store: Store) -> None:
    async with race_host("a") as host:
        store.bots.set_token("a", hash_token(token("a")))
        watch = RosterPoller(store, host.server, Suspensions(0))
        bot = await host.bot("a")
        assert run(["bots", "revoke", "a", "--database", str(store.address)]) == 0
        watch.act(watch.look())
        ending = await bot.expect_end()
        assert [(error["code"], error["message"]) for error in ending] == [
            ("unauthorized", "the token of a was revoked by the host")
        ]
        again = await host.client()
        assert (await again.hello(name="a", token=token("a")))["code"] == "unauthorized"


async def test_a_bot_in_a_match_that_is_revoked_forfeits_when_it_should_be_back(
    store: Store,
) -> None:
    async with race_host("a", "b", reconnect_ms=1) as host:
        store.bots.set_token("b", hash_token(token("b")))
        watch = RosterPoller(store, host.server, Suspensions(0))
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b")
        await a.expect("turn")
        store.bots.revoke("b")
        watch.act(watch.look())
        assert (await a.expect("forfeited"))["reason"] == "disconnected"


async def test_with_a_new_token_a_bot_takes_its_matches_over(store: Store) -> None:
    async with race_host("a", "b") as host:
        store.bots.set_token("b", hash_token(token("b")))
        watch = RosterPoller(store, host.server, Suspensions(0))
        a = await host.bot("a")
        thief = await host.bot("b")
        host.match("m", "a", "b")
        await thief.expect("match_start")
        await thief.send(type="ready", match="m")
        await a.expect("turn")
        store.bots.set_token("b", hash_token(token("b again")))
        watch.act(watch.look())
        assert (await thief.expect_end())[-1][
            "message"
        ] == "the token of b was replaced by the host"
        back = await host.client()
        assert (await back.hello(name="b", token=token("b again")))["matches"] == ["m"]


async def test_a_bot_that_is_added_can_connect(store: Store) -> None:
    async with race_host() as host:
        watch = RosterPoller(store, host.server, Suspensions(0))
        store.bots.set_token("new", hash_token(token("new")))
        watch.act(watch.look())
        bot = await host.client()
        assert (await bot.hello(name="new", token=token("new")))["bot"] == "new"


async def test_changes_while_the_server_starts_count(store: Store) -> None:
    store.bots.set_token("old", hash_token(token("old")))
    seen = store.bots.roster()
    async with race_host("old") as host:
        store.bots.revoke("old")
        store.bots.set_token("new", hash_token(token("new")))
        poller = RosterPoller(store, host.server, Suspensions(0), seen=seen)
        poller.act(poller.look())
        old, new = await host.client(), await host.client()
        assert (await old.hello(name="old", token=token("old")))["code"] == "unauthorized"
        assert (await new.hello(name="new", token=token("new")))["bot"] == "new"


async def test_of_many_bots_only_those_that_have_changed_are_seen(store: Store) -> None:
    for name in "abcd":
        store.bots.set_token(name, hash_token(token(name)))
    async with race_host() as host:
        watch = RosterPoller(store, host.server, Suspensions(0))
        assert watch.look() == RosterChanges((), (), (), ())
        store.bots.revoke("a")
        store.bots.set_token("b", hash_token(token("b again")))
        store.interventions.suspend("c", "it failed")
        store.bots.set_token("e", hash_token(token("e")))
        found = watch.look()
        assert (found.revoked, found.suspended, found.resumed) == (("a",), ("c",), ())
        assert set(found.tokens) == {
            ("b", hash_token(token("b")), hash_token(token("b again"))),
            ("e", None, hash_token(token("e"))),
        }
        assert watch.look() == RosterChanges((), (), (), ())


async def test_a_bot_that_registers_between_two_looks_stays(
    store: Store, journal: StoreJournal
) -> None:
    async with race_host(open_registration=True) as host:
        watch = RosterPoller(store, host.server, Suspensions(0))
        before = watch.look()
        bot = await host.client()
        own = (await bot.hello(name="new"))["token"]
        await journal.register("new", hash_token(own))
        watch.act(before)
        watch.act(watch.look())
        await bot.send(type="ping", nonce=1)
        assert (await bot.receive())["type"] == "pong"


async def test_a_bot_that_is_put_back_is_suspended_no_more(
    store: Store, journal: StoreJournal
) -> None:
    store.bots.set_token("a", hash_token(token("a")))
    await journal.suspend("a", "it failed")
    suspensions = Suspensions(5, store.bots.roster().suspended)
    calls: list[bool] = []
    async with race_host() as host:
        watch = RosterPoller(store, host.server, suspensions, lambda: calls.append(True))
        assert store.interventions.resume("a")
        watch.act(watch.look())
    assert (suspensions.names, calls) == (set(), [True])


async def test_a_bot_that_is_suspended_and_put_back_between_two_looks_is_suspended_no_more(
    store: Store, journal: StoreJournal
) -> None:
    store.bots.set_token("a", hash_token(token("a")))
    async with race_host() as host:
        suspensions = Suspensions(5)
        watch = RosterPoller(store, host.server, suspensions)
        suspensions.suspend("a")  # as the ladder does when a match is over
        await journal.suspend("a", "it failed")
        assert run(["bots", "resume", "a", "--database", str(store.address)]) == 0
        watch.act(watch.look())
    assert suspensions.names == set()


async def test_a_bot_that_is_put_back_and_suspended_again_between_two_looks_stays_suspended(
    store: Store, journal: StoreJournal
) -> None:
    store.bots.set_token("a", hash_token(token("a")))
    await journal.suspend("a", "it failed")
    async with race_host() as host:
        suspensions = Suspensions(5, store.bots.roster().suspended)
        watch = RosterPoller(store, host.server, suspensions)
        assert store.interventions.resume("a")
        await journal.suspend("a", "it failed again")
        watch.act(watch.look())
    assert suspensions.names == {"a"}


async def test_a_revoked_name_stays_taken_and_keeps_its_history(
    store: Store, journal: StoreJournal
) -> None:
    store.bots.set_token("a", hash_token("old"))
    assert store.bots.revoke("a")
    assert await journal.register("a", hash_token("of a stranger")) == "a"
    [row] = store.bots.all()
    assert (row.name, row.registered, row.revoked) == ("a", False, True)
    store.bots.set_token("a", hash_token("from the host"))
    [row] = store.bots.all()
    assert (row.registered, row.revoked) == (True, False)


def test_bot_that_cannot_be_revoked_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", str(tmp_path / "new.sqlite")]
    run(["bots", "add", "ada", *database])
    assert run(["bots", "revoke", "bob", *database]) == 1
    assert "the database holds no bot bob" in capsys.readouterr().err


async def test_a_bot_that_the_host_suspends_gets_no_matches(store: Store) -> None:
    async with race_host("a") as host:
        store.bots.set_token("a", hash_token(token("a")))
        suspensions = Suspensions(0)
        watch = RosterPoller(store, host.server, suspensions)
        database = ["--database", str(store.address)]
        assert run(["bots", "suspend", "a", "--why", "it floods its log", *database]) == 0
        watch.act(watch.look())
    assert suspensions.names == {"a"}
    assert [row.suspension for row in store.bots.all()] == ["it floods its log"]


def test_unknown_bot_cannot_be_suspended(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bots", "suspend", "nobody", "--database", str(store.address)]) == 1
    assert "the database holds no bot nobody" in capsys.readouterr().err


def test_guest_that_connects_as_a_bot_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path, for_play=True) as store, store.database.writing() as connection:
        bot_repository.bot_ids(
            connection, ["ada", "bea", "cas", "dan"], guests={"ada", "bea", "cas"}
        )
        bot_repository.bot_ids(connection, ["ada"])
        bot_repository.register(connection, "bea", bytes(32))
        bot_repository.bot_ids(connection, ["cas", "dan"], guests={"cas", "dan"})
    with Store.open(path) as store:
        assert [row.name for row in store.bots.all()] == ["ada", "bea", "dan"]


async def test_bot_with_a_fresh_token_of_the_server_stays_connected(store: Store) -> None:
    async with race_host("a") as host:
        store.bots.set_token("a", hash_token("the token of a welcome that was lost"))
        watch = RosterPoller(store, host.server, Suspensions(0))
        bot = await host.bot("a")
        store.bots.set_token("a", hash_token(token("a")))
        watch.act(watch.look())
        await bot.send(type="ping", nonce=1)
        assert (await bot.expect("pong"))["nonce"] == 1


async def test_suspension_by_the_ladder_is_not_taken_for_one_by_the_host(
    store: Store, journal: StoreJournal
) -> None:
    suspensions = Suspensions(5)
    by_host: list[str] = []
    suspensions.on_change = by_host.append
    async with race_host("a") as host:
        store.bots.set_token("a", hash_token(token("a")))
        watch = RosterPoller(store, host.server, suspensions)
        await journal.suspend("a", "5 matches in a row ended by its own fault")
        suspensions.names.add("a")
        watch.act(watch.look())
    assert by_host == []
