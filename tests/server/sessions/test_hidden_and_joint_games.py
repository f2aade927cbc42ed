"""Matches with joint turns and hidden parts on real sockets: who is told what, and when."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.games.example_games import example_games
from tests.scripted import RawClient
from tests.scripted.game_host import hosting, together
from tests.scripted.race_host import PATIENT, RaceHost
from tests.scripted.raw_client import Received

from polynya_server.records import MatchSetup, Reveal

__all__ = ["example_games"]

DEAL = "5a" * 32
HIDDEN_KEYS = {"deal", "drawn"}


def setup(game: str, reveal: Reveal = "match", **options: Any) -> MatchSetup:
    return MatchSetup(
        match="m",
        game=game,
        players=("ann", "bob"),
        clock=PATIENT,
        seed=0,
        deal=DEAL,
        options=options,
        reveal=reveal,
    )


async def begun(host: RaceHost, game: str, **options: Any) -> tuple[RawClient, RawClient]:
    """Two bots in a match that has begun."""
    ann = await host.bot("ann", wants=["state", "legal"])
    bob = await host.bot("bob", wants=["state", "legal"])
    host.in_background(host.server.play, setup(game, **options))
    return ann, bob


async def spectator(host: RaceHost) -> RawClient:
    client = await host.client()
    await client.hello(role="spectator")
    await client.send(type="watch", all=True)
    return client


def steps_told(client: RawClient) -> list[tuple[int, int, Any]]:
    return [(one["turn"], one["seat"], one["steps"]) for one in client.of_type("moved")]


def keys_in(value: Any) -> set[str]:
    """All keys of maps anywhere in a message."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


async def test_the_beginning_says_what_kind_of_match_it_is_and_commits_to_the_deal() -> None:
    async with hosting("ann", "bob") as host:
        ann, _ = await begun(host, "goofspiel", cards=3)
        start = await ann.receive()
        commitment = hashlib.sha256(f"polynya-deal-1\n{DEAL}".encode()).hexdigest()
        said = [start[key] for key in ("acting", "view", "joint", "commitment")]
        assert [[0, 1], True, True, commitment] == said
        assert not HIDDEN_KEYS & keys_in(start)


async def test_both_are_asked_at_once_and_neither_learns_anything_before_both_have_answered() -> (
    None
):
    async with hosting("ann", "bob") as host:
        ann, bob = await begun(host, "goofspiel", cards=3)
        asked = await together(ann, bob)
        assert [turn["turn"] for turn in asked] == [1, 1]
        await ann.move(asked[0], [["bid", 1]])
        await bob.send(type="steps", match="m", turn=1, steps=[])
        assert (await bob.receive())["type"] == "legal"  # nothing about ann's answer before it
        await bob.move(asked[1], [["bid", 3]])
        await together(ann, bob)
        told = [(1, 0, [["bid", 1]]), (1, 1, [["bid", 3]])]
        assert [told, told] == [steps_told(ann), steps_told(bob)]
        assert [one.get("acting") for one in ann.of_type("moved")] == [None, [0, 1]]


async def test_a_card_is_told_to_its_own_seat_alone() -> None:
    async with hosting("ann", "bob") as host:
        watching = await spectator(host)
        ann, bob = await begun(host, "kuhn", hands=2)
        starts = await ann.receive(), await bob.receive(), await watching.expect("match_resume")
        cards = [start["state"]["cards"] for start in starts]
        assert [cards[0][1], cards[1][0]] == [None, None]
        assert None not in (cards[0][0], cards[1][1])
        assert cards[2] == [None, None]


async def test_the_deal_comes_out_when_the_match_is_over_and_never_before() -> None:
    async with hosting("ann", "bob") as host:
        watching = await spectator(host)
        ann, bob = await begun(host, "kuhn", hands=2)
        await together(ann, bob, watching, until="match_over")
        for client in (ann, bob, watching):
            *before, over = [one for one in client.received if one["type"] != "welcome"]
            assert over["deal"] == DEAL
            assert not HIDDEN_KEYS & keys_in(before)


async def test_others_are_told_a_forfeit_by_its_standard_sentence() -> None:
    async with hosting("ann", "bob") as host:
        ann, bob = await begun(host, "goofspiel", cards=3)
        asked = await together(ann, bob)
        await ann.move(asked[0], [["bid", 99]])
        await bob.move(asked[1], [["bid", 3]])
        own, others = await ann.expect("forfeited"), await bob.expect("forfeited")
        assert "99" in own["detail"]
        assert others["detail"] == "its steps were not legal"
        assert [own["turn"], others["turn"]] == [1, 1]


async def test_who_comes_back_is_asked_again_only_if_it_has_not_answered() -> None:
    async with hosting("ann", "bob") as host:
        ann, bob = await begun(host, "goofspiel", cards=3)
        asked = await together(ann, bob)
        await ann.move(asked[0], [["bid", 1]])
        again = await host.bot("ann", wants=["state"])
        resumed = await again.receive()
        assert tuple(resumed[key] for key in ("type", "acting", "view")) == (
            "match_resume",
            [0, 1],
            True,
        )
        await bob.move(asked[1], [["bid", 3]])
        assert (await again.receive())["type"] == "moved"


async def test_pages_are_told_that_such_a_match_is_not_to_be_shown_whole() -> None:
    async with hosting("ann", "bob") as host:
        ann, _ = await begun(host, "kuhn", hands=2)
        await ann.receive()
        [match] = host.server.matches
        assert (match.terms.is_plain, match.terms.has_view) == (False, True)


async def test_an_all_out_forfeit_ends_with_rank_one_for_all() -> None:
    async with hosting("ann", "bob") as host:
        ann, bob = await begun(host, "goofspiel", cards=3)
        asked = await together(ann, bob)
        await ann.move(asked[0], [["bid", 99]])
        await bob.move(asked[1], [])
        over: Received = await ann.expect("match_over")
        assert (over["ranking"], over["reason"]) == ([1, 1], "forfeit")


async def test_the_end_tells_no_deal_while_the_match_is_kept_back() -> None:
    told = {}
    for reveal in ("match", "round"):
        async with hosting("ann", "bob") as host:
            ann, bob = await begun(host, "goofspiel", cards=3, reveal=reveal)
            asked = await together(ann, bob)
            await ann.move(asked[0], [["bid", 99]])
            await bob.move(asked[1], [])
            told[reveal] = (await ann.expect("match_over")).get("deal")
    assert told == {"match": DEAL, "round": None}
