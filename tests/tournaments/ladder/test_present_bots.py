"""Free and busy bots, kept as each changes: the same as if all were looked at each time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_contest.pairing.pasts import REMEMBERED_OPPONENTS
from polynya_tournaments.ladder.pairing_history import PairingHistory
from polynya_tournaments.ladder.present_bots import (
    FairShare,
    FreeBots,
    NameOrder,
    PresentBots,
    Standing,
)

NAMES = "abcdef"
SLOTS = 3
STANDING = st.builds(
    Standing,
    places=st.integers(1, 9),
    has_room=st.booleans(),
    in_play=st.integers(0, 3),
    proven=st.booleans(),
    at_fault=st.booleans(),
)
CHANGES = st.lists(st.tuples(st.sampled_from(NAMES), STANDING | st.none()), max_size=30)


def present_bots(slots: int = SLOTS) -> PresentBots:
    history = PairingHistory()
    history.add(("a", "b"))
    history.add(("a", "c"))
    return PresentBots(history, FairShare(slots, 2), lambda: FreeBots(history, 2, 3, 1))


def share_of(standings: dict[str, Standing]) -> int:
    share = FairShare(SLOTS, 2)
    for standing in standings.values():
        share.add(standing.places)
    return share.matches


@settings(deadline=None)
@given(CHANGES)
def test_bots_are_free_and_busy_as_if_all_were_looked_at(
    changes: list[tuple[str, Standing | None]],
) -> None:
    bots, standings = present_bots(), dict[str, Standing]()
    for name, standing in changes:
        bots.update(name, standing)
        standings.pop(name, None)
        if standing is not None:
            standings[name] = standing
    share = share_of(standings)
    free = {
        name: one.proven
        for name, one in standings.items()
        if one.has_room and one.in_play < (share if one.proven else 1)
    }
    busy = [one.proven for name, one in standings.items() if name not in free]
    assert set(bots.proven.by_wait.first()) == {name for name in free if free[name]}
    assert set(bots.unproven.by_wait.first()) == {name for name in free if not free[name]}
    assert bots.busy == {True: busy.count(True), False: busy.count(False)}
    played = {name for name in "abc" if not free.get(name, True)}
    assert set(bots.spoiled.first()) == {n for n in played if not standings[n].at_fault}


def test_a_bot_that_becomes_proven_goes_on_waiting() -> None:
    bots = present_bots()
    for name in "abcd":
        bots.update(name, Standing(1, True, 0, proven=name in "ab", at_fault=False))
    bots.begin(("a", "b"))
    bots.update("d", Standing(1, True, 0, proven=True, at_fault=False))
    assert [bots.history.waited("d"), bots.proven.longest_wait] == [1, 1]


def test_players_of_a_match_that_begins_are_busy_until_they_are_said_to_have_room() -> None:
    bots = present_bots(slots=64)
    for name in "ab":
        bots.update(name, Standing(4, True, 0, proven=True, at_fault=False))
    bots.begin(("a", "b"))
    assert [len(bots.proven), bots.busy[True]] == [0, 2]
    bots.update("a", Standing(4, True, 1, proven=True, at_fault=False))
    assert bots.proven.by_wait.first() == ["a"]


def test_of_a_bots_opponents_the_last_ones_are_remembered() -> None:
    history = PairingHistory()
    for number in range(100):
        history.add(("a", f"bot-{number}"))
    met = list(history.bot("a").met)
    assert met == [f"bot-{number}" for number in range(100 - REMEMBERED_OPPONENTS, 100)]


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), max_size=30))
def test_names_stand_in_the_order_of_their_keys(changes: list[tuple[str, int]]) -> None:
    order, keys = NameOrder(), dict[str, int]()
    for name, key in changes:
        order.discard(name)
        keys.pop(name, None)
        if key:
            order.add(name, key)
            keys[name] = key
    assert order.first() == sorted(keys, key=lambda name: (keys[name], name))
