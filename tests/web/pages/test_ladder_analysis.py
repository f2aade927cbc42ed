"""A ladder's strengths from all its results: of its pool alone, and kept while nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trio
from benchmarks.crowd import Crowd, fill
from tests.web.conftest import OpenPages

from polynya_store import Pool, Selection, Store
from polynya_web.content import pool_analyses, recomputed
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.pool_analyses import PoolAnalyses, pool_analysis
from polynya_web.content.recomputed import BusyError

BULLET = Selection("packeis", 2, "bullet", "")
LADDER = Pool("packeis", 2, "elo", "bullet")


@pytest.fixture
def season(tmp_path: Path) -> Iterator[Store]:
    fill(tmp_path / "season.sqlite", Crowd(bots=12, matches=300, tournaments=1))
    with Store.open(tmp_path / "season.sqlite", for_play=True) as store:
        yield store


def test_the_analysis_is_of_the_pool_alone(season: Store) -> None:
    found = pool_analysis(season, BULLET)
    assert found.analysis is not None
    assert {one.name for one in found.analysis.bots} == {
        row.bot for row in season.ladder.page(LADDER).rows
    }
    empty = pool_analysis(season, replace(BULLET, clock_class="rapid"))
    assert (empty.matches, empty.analysis) == (0, None)


def test_of_very_many_bots_those_with_most_matches_are_taken(
    season: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_analyses, "MOST_BOTS", 5)
    found = pool_analysis(season, BULLET)
    assert found.analysis is not None
    assert len(found.analysis.bots) == 5


async def test_it_follows_the_hosts_corrections(
    season: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recomputed, "REST", 0)
    analyses = PoolAnalyses(DatabaseThreads())
    first = await analyses.of(season, BULLET)
    assert first is await analyses.of(season, BULLET)
    annulled = season.interventions.annul("bot-0001", 0, "the machine was late")
    after = await analyses.of(season, BULLET)
    assert annulled > 0
    assert first.matches > after.matches > 0


def test_hidden_results_are_not_looked_at(season: Store) -> None:
    before = pool_analysis(season, BULLET).matches
    season.tournaments.hide_results("cup-1", 4_000_000_000_000)
    assert pool_analysis(season, BULLET).matches == before - 30


async def test_the_ladder_leads_to_it(pages: OpenPages, season: Store) -> None:
    season.tournaments.hide_results("cup-1", 4_000_000_000_000)
    best = pool_analysis(season, BULLET).analysis
    assert best is not None
    async with pages(season) as client:
        ladder = (await client.get("/ladder/packeis/2")).text
        shown = (await client.get("/ladder/packeis/2/analysis?clock_class=bullet&variant=")).text
        german = await client.get("/ladder/packeis/2/analysis", headers={"accept-language": "de"})
        none = await client.get("/ladder/icecult/4/analysis")
    assert 'href="/ladder/packeis/2/analysis?clock_class=bullet&amp;variant="' in ladder
    assert f"<strong>{best.bots[0].rating.value:.0f}</strong>" in shown
    assert (german.status_code, none.status_code) == (200, 200)


def day_of(ended_ms: int) -> str:
    return datetime.fromtimestamp(ended_ms / 1000, UTC).date().isoformat()


async def test_since_until_and_all_clocks_select_results(pages: OpenPages, season: Store) -> None:
    ended = sorted(row.finished_ms for row in season.matches.find() if row.finished_ms)
    first, later = day_of(ended[0]), day_of(ended[-1] + 86_400_000)
    address = "/api/v1/ratings/packeis/2/analysis?clock_class"
    async with pages(season) as client:
        found = {
            words: (await client.get(f"{address}={words}")).json()
            for words in (
                "any",
                f"any&since={first}&until={later}",
                f"any&until={first}",
                f"any&since={later}",
                "bullet",
                "rapid",
            )
        }
        page = await client.get(f"/ladder/packeis/2/analysis?clock_class=any&since={later}")
        wrong = await client.get("/ladder/packeis/2/analysis?since=soon")
    counted = [one["matches"] for one in found.values()]
    assert counted == [pool_analysis(season, replace(BULLET, clock_class=None)).matches] * 2 + [
        *(0, 0, pool_analysis(season, BULLET).matches, 0)
    ]
    assert [one["clock_class"] for one in found.values()] == [None] * 4 + ["bullet", "rapid"]
    best = pool_analysis(season, BULLET).analysis
    assert best is not None
    assert [row["name"] for row in found["bullet"]["bots"]] == [one.name for one in best.bots]
    assert f'name="since" value="{later}"' in page.text
    assert "No results of this selection yet" in page.text
    assert (wrong.status_code, "since must be a day" in wrong.text) == (400, True)


async def test_when_many_wait_for_analyses_others_are_told_to_come_back(
    season: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_analyses, "MOST_WAITING", 2)
    analyses, told = PoolAnalyses(DatabaseThreads()), []

    async def look(day_ms: int) -> None:
        try:
            await analyses.of(season, replace(BULLET, since_ms=day_ms))
        except BusyError:
            told.append(day_ms)

    async with trio.open_nursery() as nursery:
        for day_ms in range(5):
            nursery.start_soon(look, day_ms)
    assert len(told) == 2
