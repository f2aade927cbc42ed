"""Serves metrics and health over HTTP, on a separate port, from the server's event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence, Sized
from contextlib import asynccontextmanager
from typing import Protocol

import trio
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from polynya_server.http.budget import HttpBudget
from polynya_server.http.http_server import open_http
from polynya_server.metrics.counters import Histogram, ServerMetrics

US_PER_S = 1_000_000
MS_PER_S = 1_000


Gauge = tuple[str, str, float]
"""A metric: its name without the prefix, its meaning, its current value."""

LONGEST_RECORDING_MS = 10_000
"""If a result waits longer to be recorded, the database counts as unhealthy."""

ACTIVE = ("active", "Whether it plays: 0 for a process on standby")

ReadGauges = Callable[[], Sequence[Gauge]]

READ_TIMEOUT_S = 10
"""Idle timeout of a client of the metrics."""


Problem = Callable[[], str | None]
"""Says what is wrong with the database, as a sentence without its full stop; None if healthy."""


class MeasuredServer(Protocol):
    """The part of a :class:`~polynya_server.server.Server` that the metrics read."""

    @property
    def metrics(self) -> ServerMetrics:
        """Its counters."""

    @property
    def connections(self) -> int:
        """How many connections there are."""

    @property
    def connected(self) -> Sized:
        """The bots that are connected."""

    @property
    def in_play(self) -> int:
        """How many matches are being played."""

    @property
    def unsent(self) -> int:
        """Bytes queued for peers that have not taken them yet."""

    @property
    def stopping(self) -> bool:
        """Whether it is stopping and begins no more matches."""


class ServerCollector(Collector):
    """Reads a server's counters at each scrape; ``more`` adds metrics from elsewhere."""

    def __init__(self, server: MeasuredServer, more: Sequence[Gauge] = ()) -> None:
        self._server = server
        self._more = more

    def collect(self) -> Iterable[Metric]:
        """All metrics; ``docs/hosting/operating.md`` explains each."""
        yield from self._now()
        yield from self._since_the_start()
        yield from self._histograms()

    def _now(self) -> Iterable[Metric]:
        server, metrics = self._server, self._server.metrics
        yield gauge(*ACTIVE, 1)
        yield gauge("connections", "Open connections", server.connections)
        yield gauge("bots_connected", "Bots that are connected", len(server.connected))
        yield gauge("matches_in_play", "Matches in play", server.in_play)
        yield gauge("unsent_bytes", "Bytes that wait for slow peers", server.unsent)
        yield gauge("results_waiting", "Results that wait to be recorded", metrics.recording)
        for name, meaning, value in self._more:
            yield gauge(name, meaning, value)

    def _since_the_start(self) -> Iterable[Metric]:
        metrics = self._server.metrics
        turns = sum(metrics.answers.counts)
        yield _counter("connections_accepted", "Connections let in", metrics.accepted)
        yield _counter("connections_refused", "Connections over a limit", metrics.rejected)
        yield _counter("turns", "Turns played", turns)
        yield _by_reason("matches", "Matches that have ended", metrics.matches)
        yield _by_reason("forfeits", "Forfeits", metrics.forfeits)

    def _histograms(self) -> Iterable[Metric]:
        metrics = self._server.metrics
        for name, meaning, histogram, scale in (
            ("answer_seconds", "From question to answer", metrics.answers, US_PER_S),
            ("handling_seconds", "From answer to next question", metrics.handling, US_PER_S),
            ("loop_delay_seconds", "Event loop's delays", metrics.loop_delays, US_PER_S),
            ("journal_wait_seconds", "Recording a result", metrics.journal_waits, MS_PER_S),
        ):
            yield _histogram(name, meaning, histogram, scale)


def gauge(name: str, meaning: str, value: float) -> Metric:
    """One figure, under its name with the prefix."""
    return GaugeMetricFamily(f"polynya_{name}", meaning, value=value)


def _counter(name: str, meaning: str, value: float) -> Metric:
    return CounterMetricFamily(f"polynya_{name}", meaning, value=value)


def _by_reason(name: str, meaning: str, counts: dict[str, int]) -> Metric:
    family = CounterMetricFamily(f"polynya_{name}", meaning, labels=["reason"])
    for reason, count in sorted(counts.items()):
        family.add_metric([reason], count)
    return family


def _histogram(name: str, meaning: str, histogram: Histogram, scale: int) -> Metric:
    bounds: Sequence[str] = [repr(bound / scale) for bound in histogram.bounds]
    buckets: list[tuple[str, float]] = []
    total = 0
    for bound, count in zip([*bounds, "+Inf"], histogram.counts, strict=True):
        total += count
        buckets.append((bound, total))
    return HistogramMetricFamily(
        f"polynya_{name}", meaning, buckets=buckets, sum_value=histogram.total / scale
    )


def prometheus_text(server: MeasuredServer, more: Sequence[Gauge] = ()) -> bytes:
    """All metrics in Prometheus' text format, with ``more`` from elsewhere."""
    registry = CollectorRegistry()
    registry.register(ServerCollector(server, more))
    return generate_latest(registry)


def metrics_application(
    server: MeasuredServer,
    more: ReadGauges = lambda: (),
    problem_of_database: Problem = lambda: None,
) -> Starlette:
    """``/metrics`` for Prometheus; ``/health`` and ``/ready`` for a supervisor of servers."""

    async def metrics(_request: Request) -> Response:
        gauges = await trio.to_thread.run_sync(more, abandon_on_cancel=True)
        return Response(prometheus_text(server, gauges), media_type=CONTENT_TYPE_LATEST)

    async def health(_request: Request) -> Response:
        problem = health_problem(server) or problem_of_database()
        document = {
            "status": problem or "ok",
            "active": True,
            "matches_in_play": server.in_play,
            "bots_connected": len(server.connected),
        }
        return JSONResponse(document, status_code=503 if problem else 200)

    async def ready(_request: Request) -> Response:
        document = {"status": "the server is stopping" if server.stopping else "ok", "active": True}
        return JSONResponse(document, status_code=503 if server.stopping else 200)

    return Starlette(
        routes=[Route("/metrics", metrics), Route("/health", health), Route("/ready", ready)]
    )


def health_problem(server: MeasuredServer) -> str | None:
    """Say in a sentence why the server is unhealthy; None if it is healthy."""
    if server.stopping:
        return "the server is stopping"
    waiting_ms = server.metrics.longest_recording_ms
    if waiting_ms > LONGEST_RECORDING_MS:
        return f"results wait for the database, the first for {waiting_ms // 1000} s"
    return None


@asynccontextmanager
async def open_metrics_http(
    server: MeasuredServer,
    host: str,
    port: int,
    more: ReadGauges = lambda: (),
    problem_of_database: Problem = lambda: None,
) -> AsyncIterator[str]:
    """Answer on ``host`` and ``port`` (0 for any free one) until the context exits.

    ``more`` adds metrics that the server does not have; it is called in a thread. Bots may
    connect while the database is down, so only ``/health`` reports ``problem_of_database``.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    application = metrics_application(server, more, problem_of_database)
    budget = HttpBudget(lambda: server.in_play > 0)
    async with open_http(application, host, port, budget, READ_TIMEOUT_S) as address:
        yield address
