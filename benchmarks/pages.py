"""The cost of a page after a long season: 1,000 bots and 100,000 matches on SQLite.

Pages are asked for one after the other over HTTP; the time is from the request to the last byte,
client and server in one process. ``python -m benchmarks.pages``.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import httpx2
import trio
from rich.console import Console

from benchmarks.crowd import Crowd, fill
from benchmarks.figures import Figure, table
from polynya_store import Store
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

GOAL_MS = 50.0
TIMES = 20

PATHS = {
    "first page": "/",
    "ladder": "/ladder/packeis/2",
    "ladder, found by name": "/ladder/packeis/2?name=09",
    "ladder as JSON": "/api/v1/ratings/packeis/2",
    "matches": "/matches",
    "matches, deep in the list": "/matches?older=40000",
    "matches of a game": "/matches?game=arktia",
    "matches of two bots": "/matches?bot=bot-0001&opponent=bot-0002",
    "matches of a tournament": "/matches?tournament=cup-1",
    "bot": "/bots/bot-0001",
    "bots": "/bots",
    "tournaments": "/tournaments",
    "tournament of 10,000 matches": "/tournaments/cup-1",
    "its schedule": "/tournaments/cup-1/schedule?page=100",
}


def measure(crowd: Crowd | None = None) -> list[Figure]:
    """The median time of each page; the first request of each is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "season.sqlite"
        fill(path, crowd or Crowd())
        with Store.open(path) as store:
            return trio.run(_measure, store)


async def _measure(store: Store) -> list[Figure]:
    async with (
        open_web(WebSettings(port=0), PageSources(store)) as address,
        httpx2.AsyncClient(base_url=address, timeout=120) as client,
    ):
        return [
            Figure("pages", f"{name}, ms", await _median_ms(client, path), GOAL_MS)
            for name, path in PATHS.items()
        ]


async def _median_ms(client: httpx2.AsyncClient, path: str) -> float:
    times = [await _ms(client, path) for _ in range(TIMES + 1)]
    return statistics.median(times[1:])


async def _ms(client: httpx2.AsyncClient, path: str) -> float:
    began = perf_counter()
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return 1000 * (perf_counter() - began)


def main() -> None:
    """Measure and print."""
    print("filling the database ...", file=sys.stderr)
    Console().print(table(measure()))


if __name__ == "__main__":
    main()
