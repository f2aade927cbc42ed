"""The cost of viewers for the players.

A server keeps matches in play at full speed. In turns there are no viewers, a hundred viewers
follow one of the matches by server-sent events, a hundred follow the list of all with its boards
(the wall, the first page), a hundred the television, and a hundred connect and never read: turns
per second of the server's processor time are compared within the run, because it has a processor to
itself when it is at its limit, and a neighbour's work does not count. The match that is watched has
a move each 200 ms, so that it lasts; the others are as fast as the server.

A browser counts the bytes of a match page, while two matches are played.

``python -m benchmarks.web serve MATCHES DATABASE`` is the server, ``watch PORT COUNT KIND`` the
viewers.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import trio
from playwright.sync_api import Browser, Request, sync_playwright

from benchmarks import load
from benchmarks.figures import Figure
from benchmarks.referee import Load, quiet, serving
from polynya_store import Store
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

MATCHES = 64
VIEWERS = 100
ROUNDS = 12
"""How often each kind looks: one window varies by 10 %, so their median by 4 %."""
WATCHED_DELAY_US = 200_000
PAGE_ROUNDS = 5
WHEN_DRAWN = """
new MutationObserver((_, observer) => {
  if (document.querySelector(".board-drawing > *") === null) return;
  observer.disconnect();
  const [{ responseEnd }] = performance.getEntriesByType("navigation");
  requestAnimationFrame(() => { window.drawn = performance.now() - responseEnd; });
}).observe(document, { childList: true, subtree: true });
"""
KINDS = {
    "match": "viewers of one match",
    "list": "viewers of the wall",
    "tv": "viewers of the television",
    "silent": "viewers who never read",
}
PATHS = {"list": "/api/v1/live", "tv": "/api/v1/tv", "silent": "/api/v1/live"}


async def serve(matches: int, database: Path) -> None:
    """Keep matches in play, and say how many turns there were whenever a line comes."""
    async with serving(matches, database) as (server, stage), trio.open_nursery() as nursery:
        playing = Load(server, stage)
        for pair in range(matches):
            nursery.start_soon(playing.keep_playing, pair)
        await stage.open()
        with Store.open(database) as store:
            async with open_web(WebSettings(port=0), PageSources(store, server)) as address:
                print(address.rpartition(":")[2], flush=True)
                async for _ in trio.wrap_file(sys.stdin):
                    sample = [sum(server.metrics.answers.counts), time.process_time()]
                    print(json.dumps(sample), flush=True)
        nursery.cancel_scope.cancel()


def watch(port: int, count: int, kind: str) -> None:
    """Be this number of viewers, for ever."""
    while True:
        path = PATHS.get(kind) or f"/api/v1/live/{_watched(port)}"
        sockets = [_follow(port, path) for _ in range(count)]
        print("watching", flush=True)
        if kind == "silent":
            time.sleep(3600)
        _read_all(sockets)


def _watched(port: int) -> str:
    """The match that is in play between the first two bots."""
    return _found(port, "bot=b0&state=in_play&size=1")


def _found(port: int, query: str) -> str:
    """The first match of a list, when there is one."""
    while True:
        path = f"/api/v1/matches?{query}"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
            found = json.loads(answer.read())["matches"]
        if found:
            name: str = found[0]["match"]
            return name
        time.sleep(0.05)


def _follow(port: int, path: str) -> socket.socket:
    connected = socket.create_connection(("127.0.0.1", port))
    connected.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    return connected


def _read_all(sockets: list[socket.socket]) -> None:
    """Read what comes until all have ended, as the events of a match do."""
    with selectors.DefaultSelector() as selector:
        for one in sockets:
            selector.register(one, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                one = cast("socket.socket", key.fileobj)
                data = one.recv(1 << 18)
                if not data or data.endswith(b"0\r\n\r\n"):
                    selector.unregister(one)
                    one.close()


@dataclass
class Running:
    """A server in another process."""

    questions: IO[str]
    answers: IO[str]
    web_port: int

    def rate(self, seconds: float) -> float:
        """Turns per second of the server's processor time, from now on."""
        first = self._sample()
        time.sleep(seconds)
        second = self._sample()
        return (second[0] - first[0]) / (second[1] - first[1])

    def _sample(self) -> list[float]:
        print(file=self.questions, flush=True)
        sample: list[float] = json.loads(self.answers.readline())
        return sample


@contextlib.contextmanager
def running(program: Path, matches: int) -> Iterator[Running]:
    """The server with its bots."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.web", "serve", str(matches)]
        command.append(str(Path(folder) / "web.sqlite"))
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                address = ("127.0.0.1", int(process.stdout.readline()))
                slow = load.bots(program, address, 2, delay_us=WATCHED_DELAY_US)
                fast = load.bots(program, address, 2 * matches - 2, first=2)
                with load.running(*slow, *fast):
                    port = int(process.stdout.readline())
                    yield Running(process.stdin, process.stdout, port)
            finally:
                process.kill()


@contextlib.contextmanager
def watching(port: int, count: int, kind: str) -> Iterator[None]:
    """Viewers in another process."""
    command = [sys.executable, "-m", "benchmarks.web", "watch", str(port), str(count), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            process.stdout.readline()
            yield
        finally:
            process.kill()


def page_figures(program: Path) -> list[Figure]:
    """The bytes that the page of an ended match loads, and the time until its board is there."""
    with running(program, 2) as server, chromium() as browser:
        address = f"http://127.0.0.1:{server.web_port}"
        match = _found(server.web_port, "state=ended&size=1")
        loads = [_loaded(browser, f"{address}/matches/{match}") for _ in range(PAGE_ROUNDS)]
    requests, sent, board_ms = (statistics.median(figures) for figures in zip(*loads, strict=True))
    return [
        Figure("web", "requests of a match page", requests, 15),
        Figure("web", "bytes of a match page", sent, 120_000),
        Figure("web", "ms from the document to the first board", board_ms, 500),
    ]


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The system's browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        try:
            yield browser
        finally:
            browser.close()


def _loaded(browser: Browser, address: str) -> tuple[float, float, float]:
    """Requests and bytes of a page that is not in the cache, and ms until its board is drawn."""
    loaded: list[Request] = []
    page = browser.new_context().new_page()
    page.on("requestfinished", lambda request: loaded.append(request))
    page.add_init_script(WHEN_DRAWN)
    page.goto(address, wait_until="networkidle")
    board_ms: float = page.evaluate("window.drawn")
    sizes = [request.sizes() for request in loaded]
    sent = sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)
    page.context.close()
    return len(loaded), sent, board_ms


def measure(program: Path, seconds: float) -> list[Figure]:
    """The cost of viewers, in per cent of the turns per second before and after, without them."""
    lost: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with running(program, MATCHES) as server:
        time.sleep(seconds)
        alone = [server.rate(seconds)]
        for kind in [*KINDS] * ROUNDS:
            with watching(server.web_port, VIEWERS, kind):
                time.sleep(seconds / 4)
                watched = server.rate(seconds)
            alone.append(server.rate(seconds))
            lost[kind].append(100 * (1 - watched / statistics.mean(alone[-2:])))
    what = f"turns per s of the server, {MATCHES} matches, no viewers"
    return [
        Figure("web", what, statistics.median(alone), None, "higher"),
        *(
            Figure("web", f"% of them lost, {VIEWERS} {KINDS[kind]}", statistics.median(some), 5)
            for kind, some in lost.items()
        ),
        *page_figures(program),
    ]


if __name__ == "__main__":
    quiet()
    match sys.argv[1:]:
        case ["serve", matches, database]:
            trio.run(serve, int(matches), Path(database))
        case ["watch", port, count, kind]:
            watch(int(port), int(count), kind)
        case _:
            sys.exit(__doc__)
