"""The campaigns of `make chaos`: everything at once, and ten thousand matches in a row."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
import trio
from tests.chaos.campaign import HOSTED, TOURNAMENT, Campaign, Plan, describe, played
from tests.chaos.invariants import forfeits, schedule_violations, violations
from tests.chaos.soak import soak
from tests.chaos.zoo import DEAF, ZOO

from polynya_store import Store

pytestmark = pytest.mark.chaos

LADDER_S = 15
WARM = 4_000
"""After so many matches the caches are nearly full: SQLite's of pages, and the allocator's."""
MOST_GROWTH = 1.07


@pytest.fixture(scope="module")
def seed() -> int:
    """From the environment, or a new one; printed, so that it can be given again."""
    chosen = int(os.environ.get("POLYNYA_CHAOS_SEED") or random.SystemRandom().getrandbits(32))
    print(f"\nseed {chosen}: `make chaos SEED={chosen}` does the same things again", flush=True)
    return chosen


def test_a_tournament_ends_with_records_that_are_complete_and_true(
    tmp_path: Path, seed: int
) -> None:
    campaign = Campaign(Plan(seed=seed, zoo=ZOO, honest=2, kills=6, pests=8), tmp_path)
    report = trio.run(campaign.tournament)
    describe(report)
    with Store.open(campaign.database) as store:
        print(f"records: {played(store)}", flush=True)
        assert violations(store, ZOO, report.log.injuries) == []
        assert schedule_violations(store, TOURNAMENT) == []
        due = {(animal.name, reason) for animal in ZOO for reason in animal.reasons}
        assert due <= set(forfeits(store))
    assert report.exit_code == 0, campaign.last_lines()


def test_a_standing_server_keeps_true_records_and_no_sockets(tmp_path: Path, seed: int) -> None:
    zoo = [*ZOO, DEAF]
    campaign = Campaign(Plan(seed=seed, zoo=zoo, honest=2, kills=3, pests=16), tmp_path)
    report = trio.run(campaign.ladder, LADDER_S)
    describe(report)
    with Store.open(campaign.database) as store:
        print(f"records: {played(store)}", flush=True)
        assert violations(store, zoo, report.log.injuries) == []
        assert HOSTED.keys() <= {row.bot for row in store.ratings.find()}
    assert report.left_sockets == 0
    assert report.exit_code == 0, campaign.last_lines()


def test_ten_thousand_matches_leave_nothing_behind(tmp_path: Path) -> None:
    found = trio.run(soak, tmp_path, WARM, 10_000)
    rate = (found.last.matches - found.first.matches) / found.seconds
    print(
        f"\n{found.last.matches} matches, {rate:.0f}/s; memory {found.first.resident_bytes >> 20} "
        f"MiB after {found.first.matches}, {found.last.resident_bytes >> 20} MiB at the end "
        f"({found.growth:.3f}); descriptors {found.first.descriptors}, {found.last.descriptors}",
        flush=True,
    )
    assert found.growth < MOST_GROWTH
    assert found.last.descriptors == found.first.descriptors
    assert found.exit_code == 0
