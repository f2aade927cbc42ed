"""Matches over TCP of a game whose rules wait: bots notice nothing, and lose nothing."""

from __future__ import annotations

import threading

from tests.scripted import race_host
from tests.scripted.waiting_race import Rules, WaitingRace

DOUBLE = [["double"]]


async def test_a_bot_asks_what_is_legal_after_a_step_and_is_answered_from_a_thread() -> None:
    rules = Rules()
    async with race_host("ada", "bob", game=WaitingRace(rules)) as host:
        ada = await host.bot("ada")
        await host.good_bot("bob")
        match = host.match("m", "ada", "bob")
        await ada.expect("turn")
        await ada.send(type="steps", match="m", turn=1, steps=DOUBLE)
        legal = await ada.expect("legal")
        await ada.send(type="steps", match="m", turn=1, steps=[["add", 9]])
        error = await ada.expect("error")
        await ada.send(type="move", match="m", turn=1, steps=[*DOUBLE, ["add", 3]])
        record = await match.record()

    assert legal["legal"] == [["add", 1], ["add", 2], ["add", 3]]
    assert error["code"] == "malformed"
    assert record.ranking == [1, 2]
    assert threading.get_ident() not in rules.threads


async def test_rules_that_fail_in_the_set_up_annul_the_match() -> None:
    async with race_host("ada", "bob", game=WaitingRace(Rules(frozenset([("set_up",)])))) as host:
        await host.good_bot("ada")
        await host.good_bot("bob")
        record = await host.match("m", "ada", "bob").record()

    assert (record.reason, record.server_fault, record.ranking) == ("annulled", True, None)


async def test_rules_that_fail_at_a_step_annul_the_match_and_the_next_one_is_played() -> None:
    rules = Rules(frozenset([("apply", "add", 1)]))
    async with race_host("ada", "bob", game=WaitingRace(rules)) as host:
        ada = await host.bot("ada")
        await host.good_bot("bob")
        first = host.match("m", "ada", "bob")
        turn = await ada.expect("turn")
        await ada.move(turn, [["add", 1]])
        over = await ada.expect("match_over")
        failed = await first.record()
        second = host.match("n", "ada", "bob", goal=3)
        await ada.move(await ada.expect("turn"), [["add", 3]])
        played = await second.record()

    assert (failed.reason, failed.ranking, failed.forfeits) == ("annulled", None, [])
    assert played.ranking == [1, 2]
    assert over["reason"] == "annulled"
