"""A short campaign: whatever happens, the records are complete and true."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from tests.chaos.campaign import TOURNAMENT, Campaign, Plan
from tests.chaos.invariants import forfeits, schedule_violations, violations
from tests.chaos.zoo import ZOO

from polynya_store import Store

SEED = 20261121
SHORT_ZOO = [
    animal for animal in ZOO if animal.name in ("silent", "twice", "garbage", "illegal", "dropper")
]


@pytest.mark.parametrize("kind", ["file", "postgresql"])
def test_a_short_campaign_ends_with_records_that_are_complete_and_true(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    plan = Plan(seed=SEED, zoo=SHORT_ZOO, honest=1, kills=2, pests=3, turn_ms=6_000)
    server = request.getfixturevalue("postgresql") if kind == "postgresql" else None
    campaign = Campaign(plan, tmp_path, server)
    report = trio.run(campaign.tournament)
    with Store.open(campaign.database) as store:
        assert violations(store, SHORT_ZOO, report.log.injuries) == []
        assert schedule_violations(store, TOURNAMENT) == []
        assert {("silent", "timeout"), ("garbage", "protocol_error")} <= set(forfeits(store))
    assert report.exit_code == 0, campaign.last_lines()
    assert report.log.count["server_kill"] == plan.kills
    assert (report.log.count["database_cut"] > 0) == (kind == "postgresql")
