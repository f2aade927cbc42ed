"""Secrets of contests: committed to before the first match, out after the last one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import msgspec
import pytest
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_common.errors import StoreError
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
    plan_of,
)
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.secret import ladder_content
from polynya_protocol.messages import Clock
from polynya_server.records import MatchSetup
from polynya_store import Attempt, Store, StoreJournal
from polynya_store.matches import ladder_secrets

NOVEMBER = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
DECEMBER = datetime(2026, 12, 1, tzinfo=UTC)
CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    bots=[BotConfiguration(name=name, external=True) for name in ("ann", "bob")],
    clock=Clock(move_ms=100),
    cycles=2,
)


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """The clock of the database shows this moment."""
    with pytest.MonkeyPatch.context() as patch:
        ms = round(moment.timestamp() * 1000)
        patch.setattr(ladder_secrets, "clock_ms", lambda _connection: ms)
        yield


async def begin(journal: StoreJournal) -> MatchSetup:
    setup = setup_of("", "ann", "bob")
    return await journal.begin(Attempt(setup, RatingSettings(), of_ladder=True))


async def end(journal: StoreJournal, setup: MatchSetup) -> None:
    await journal.finish(record_of(setup, [1, 2]))


def out(store: Store) -> dict[str | None, bool]:
    store.ladder.bring_out_secrets()
    return {one.month: one.secret is not None for one in store.ladder.public_secrets()}


async def test_ladder_match_follows_from_the_secret_of_its_month_and_its_number(
    store: Store, journal: StoreJournal
) -> None:
    with at(NOVEMBER):
        setup = await begin(journal)
    found = next(one for one in store.ladder.secrets() if one.month == "2026-11")
    number = setup.match.removeprefix("ladder-")
    assert found.secret.match_seed(number) == setup.seed
    assert found.commitment == found.secret.commitment(ladder_content("2026-11"))


async def test_next_months_commitment_is_known_before_its_first_match(
    store: Store, journal: StoreJournal
) -> None:
    with at(NOVEMBER):
        store.ladder.ready_secret()
        await begin(journal)
    known = {one.month: one.commitment for one in store.ladder.public_secrets()}
    with at(DECEMBER):
        setup = await begin(journal)
    used = next(one for one in store.ladder.secrets() if one.month == "2026-12")
    assert known["2026-12"] == used.commitment
    assert used.secret.match_seed(setup.match.removeprefix("ladder-")) == setup.seed


async def test_secret_of_a_month_is_out_when_its_last_match_has_ended(
    store: Store, journal: StoreJournal
) -> None:
    with at(NOVEMBER):
        last = await begin(journal)
        assert out(store) == {"2026-11": False, "2026-12": False}
    with at(DECEMBER):
        later = await begin(journal)
        assert out(store)["2026-11"] is False
        await end(journal, last)
        assert out(store) == {"2026-11": True, "2026-12": False, "2027-01": False}
        await end(journal, later)


async def test_no_match_begins_under_a_secret_that_is_out(
    store: Store, journal: StoreJournal
) -> None:
    with at(NOVEMBER):
        await end(journal, await begin(journal))
    with at(DECEMBER):
        assert out(store)["2026-11"]
    with at(NOVEMBER):  # the clock goes back
        again = await begin(journal)
    of_month = [one for one in store.ladder.secrets() if one.month == "2026-11"]
    assert len(of_month) == 2
    assert of_month[1].secret.match_seed(again.match.removeprefix("ladder-")) == again.seed


async def test_seed_that_a_host_names_is_the_months_secret(
    store: Store, journal: StoreJournal
) -> None:
    with at(NOVEMBER):
        store.ladder.ready_secret(7)
        store.ladder.ready_secret(7)
        await begin(journal)
    found = store.ladder.secrets()
    assert {(one.month, one.secret.named_seed) for one in found} == {("2026-11", 7), ("2026-12", 7)}
    assert len(found) == 2


async def play(journal: StoreJournal, number: int) -> None:
    """Play the match of this number in the schedule."""
    row = next(
        one
        for one in await journal.open_pairings(await journal.plan(plan_of(CUP)))
        if one.pairing.number == number
    )
    setup = msgspec.structs.replace(
        setup_of(f"cup-{number}", *row.pairing.players), seed=row.pairing.seed
    )
    await journal.begin(Attempt(setup, RatingSettings(), row.id))
    await end(journal, setup)


async def test_secret_of_a_tournament_is_out_when_it_is_complete(
    store: Store, journal: StoreJournal
) -> None:
    for number in (1, 2, 3, 4):
        assert number == 1 or store.tournaments.public_secrets("cup")[0].secret is None
        await play(journal, number)
    (recorded,) = store.tournaments.secrets("cup")
    (shown,) = store.tournaments.public_secrets("cup")
    assert recorded.secret.hex == shown.secret
    seeds = {(row.block, row.seed) for row in store.tournaments.pairings("cup")}
    assert {(block, recorded.secret.match_seed(block)) for block, _ in seeds} == seeds


async def test_two_tournaments_of_one_description_have_different_set_ups(
    journal: StoreJournal, store: Store
) -> None:
    await journal.plan(plan_of(CUP))
    await journal.plan(plan_of(msgspec.structs.replace(CUP, name="second")))
    first, second = (
        {row.seed for row in store.tournaments.pairings(name)} for name in ("cup", "second")
    )
    assert first.isdisjoint(second)


async def test_after_a_restore_only_blocks_that_had_begun_keep_their_seeds(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, 1)
    before = {row.number: row.seed for row in store.tournaments.pairings("cup")}
    assert store.begin_new_secrets() == ["cup"]
    old, new = store.tournaments.secrets("cup")
    after = {row.number: row.seed for row in store.tournaments.pairings("cup")}
    assert {n for n, seed in after.items() if seed == before[n]} == {1, 2}
    assert old.secret != new.secret
    rows = store.tournaments.pairings("cup")
    assert {new.secret.match_seed(row.block) for row in rows if row.number > 2} == {after[3]}
    assert new.after == 4


async def test_tournament_that_is_over_keeps_its_secret_after_a_restore(
    store: Store, journal: StoreJournal
) -> None:
    for number in (1, 2, 3, 4):
        await play(journal, number)
    assert store.begin_new_secrets() == []


async def test_beacon_is_entered_once(store: Store, journal: StoreJournal) -> None:
    waiting = msgspec.structs.replace(CUP, beacon="the lottery of 12 December")
    await journal.plan(plan_of(waiting))
    assert store.tournaments.pairings("cup") == []
    store.tournaments.enter_beacon("cup", "4 8 15")
    store.tournaments.enter_beacon("cup", "4 8 15")
    assert store.tournaments.secrets("cup")[0].secret.beacon == "4 8 15"
    with pytest.raises(StoreError, match="cannot be changed"):
        store.tournaments.enter_beacon("cup", "16 23 42")


async def test_beacon_that_no_description_names_is_refused(
    store: Store, journal: StoreJournal
) -> None:
    await journal.plan(plan_of(CUP))
    with pytest.raises(StoreError, match="names no beacon"):
        store.tournaments.enter_beacon("cup", "4 8 15")
