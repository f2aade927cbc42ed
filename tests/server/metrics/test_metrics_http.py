"""The figures that a host watches, read over HTTP while the server plays."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence

import pytest
import trio
from prometheus_client.parser import text_string_to_metric_families
from tests.scripted import race_host

from polynya_protocol.messages import Clock, RatingChange
from polynya_server import MatchRecord, MemoryJournal
from polynya_server.metrics.counters import Histogram, ServerMetrics
from polynya_server.metrics.metrics_http import health_problem, open_metrics_http, prometheus_text
from polynya_server.server import Server


def figures(server: Server) -> dict[tuple[str, str], float]:
    """The samples by name and (only) label."""
    text = prometheus_text(server).decode()
    return {
        (sample.name.removeprefix("polynya_"), "".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_a_match_is_counted_with_its_turns_and_its_recording() -> None:
    async with race_host("a", "b") as host:
        await host.good_bot("a")
        await host.good_bot("b")
        before = figures(host.server)
        record = await host.match("m", "a", "b", goal=20).record()
        after = figures(host.server)
    turns = len(record.events)
    assert (before["turns_total", ""], after["turns_total", ""]) == (0, turns)
    assert after["answer_seconds_bucket", "+Inf"] == turns
    assert after["handling_seconds_bucket", "+Inf"] == turns - 1
    assert after["matches_total", "finished"] == 1
    assert after["journal_wait_seconds_count", ""] == 1
    assert (after["connections", ""], after["connections_accepted_total", ""]) == (2, 2)
    assert (after["bots_connected", ""], after["matches_in_play", ""]) == (2, 0)


async def test_a_match_in_play_and_its_forfeits_by_reason_are_seen() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", clock=Clock(move_ms=60_000))
        await a.expect("turn")
        assert figures(host.server)["matches_in_play", ""] == 1
        await a.send(type="resign", match="m")
        await match.record()
        assert figures(host.server)["forfeits_total", "resigned"] == 1


async def test_rejected_connections_are_counted() -> None:
    async with race_host("a", max_connections=1) as host:
        await host.bot("a")
        await (await host.client()).expect_end()
        after = figures(host.server)
    assert (after["connections_refused_total", ""], after["connections", ""]) == (1, 1)


def test_a_value_belongs_to_the_class_that_it_does_not_exceed() -> None:
    histogram = Histogram([10, 100])
    for value in (0, 10, 11, 100, 101):
        histogram.observe(value)
    assert (histogram.counts, histogram.total) == ([2, 2, 1], 222)


async def fetch(url: str) -> tuple[int, bytes]:
    def get() -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:  # noqa: S310 -- our own server
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    return await trio.to_thread.run_sync(get)


async def test_figures_and_health_are_served_over_http_while_the_server_plays() -> None:
    async with (
        race_host("a", "b") as host,
        open_metrics_http(host.server, "127.0.0.1", 0) as address,
    ):
        await host.bot("a")
        status, body = await fetch(f"{address}/metrics")
        assert (status, b"polynya_connections 1.0" in body.splitlines()) == (200, True)
        status, body = await fetch(f"{address}/health")
        assert (status, json.loads(body)["status"]) == (200, "ok")
        await host.server.stop(0)
        status, body = await fetch(f"{address}/health")
        assert (status, json.loads(body)["status"]) == (503, "the server is stopping")


class StuckJournal(MemoryJournal):
    """A journal whose disk is full until it is told otherwise."""

    def __init__(self) -> None:
        super().__init__()
        self.freed = trio.Event()

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        await self.freed.wait()
        return await super().finish(record)


async def test_results_that_wait_are_counted() -> None:
    journal = StuckJournal()
    async with race_host("a", "b", journal=journal) as host:
        await host.good_bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b")
        while not host.server.metrics.recording:
            await trio.testing.wait_all_tasks_blocked()
        assert figures(host.server)["results_waiting", ""] == 1
        journal.freed.set()
        await match.record()
        assert figures(host.server)["results_waiting", ""] == 0


@pytest.mark.parametrize(("waited_ms", "healthy"), [(10_000, True), (10_001, False)])
async def test_a_result_that_waits_too_long_is_bad_health(waited_ms: int, healthy: bool) -> None:
    async with race_host() as host:
        times = iter([0, waited_ms * 1_000_000, waited_ms * 1_000_000])
        host.server.metrics = ServerMetrics(lambda: next(times))
        with host.server.metrics.record("finished"):
            assert (health_problem(host.server) is None) == healthy
