"""Matches in play in a browser: real bots, a real server, and a page that keeps up with them."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import IO, Any

import pytest
import trio
from playwright.sync_api import Browser, Page, expect
from tests.recorded_matches import launcher
from tests.web.browsing import PATIENCE_S, in_a_thread, tab
from tests.web.playing import Table, called, open_host

from polynya_web.page_sources import PageSources
from polynya_web.pages import home
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

GATED_BOT = Path(__file__).parents[1] / "gated_bot.py"


class Log:
    """What a process says, line by line; always read, so that it never waits to be heard."""

    def __init__(self, said: IO[str]) -> None:
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, args=(said,), daemon=True)
        self._thread.start()

    def _read(self, said: IO[str]) -> None:
        for line in said:
            self._lines.put(line)

    def join(self) -> None:
        """Wait for the end of what is said."""
        self._thread.join(PATIENCE_S)

    def next_with(self, words: str) -> str:
        """The next line with these words."""
        while words not in (line := self._lines.get(timeout=PATIENCE_S)):
            pass
        return line


@contextmanager
def process(words: list[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(words, text=True, **how) as running:
        try:
            yield running
        finally:
            running.kill()


class Contest:
    """A standing server with web pages, and two bots that wait for a word from the test.

    Attributes:
        pages: the address of the pages.
        match: the id of the match that is in play.
    """

    def __init__(self, stack: ExitStack, game: str, folder: Path) -> None:
        command = [*launcher(), "serve", "--game", game, "--port", "0", "--web-port", "0"]
        command += ["--move", "3600000", "--heartbeat-ms", "600000", "--pace-ms", "0"]
        command += ["--database", str(folder / "ladder.sqlite")]
        server = stack.enter_context(process(command, stderr=subprocess.PIPE))
        assert server.stderr is not None
        log = Log(server.stderr)
        stack.callback(log.join)
        stack.callback(server.kill)
        first = log.next_with(" on ")
        second = log.next_with(" on ")
        said = dict(line.split(" on ", 1) for line in (first, second))
        port = said["listening"].rpartition(":")[2].strip()
        self.pages = said["web pages"].strip()
        self._gates = [self._bot(stack, name, port) for name in ("ada", "bob")]
        self.match = json.loads(log.next_with("a match begins"))["match"]

    def _bot(self, stack: ExitStack, name: str, port: str) -> IO[str]:
        words = [sys.executable, str(GATED_BOT)]
        told = {
            **os.environ,
            "POLYNYA_PORT": port,
            "POLYNYA_NAME": name,
            "POLYNYA_SEED": "1",
        }
        bot = stack.enter_context(
            process(words, env=told, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        )
        assert bot.stdin is not None
        return bot.stdin

    def play(self, turns: int) -> None:
        """Let each bot play some turns more."""
        for gate in self._gates:
            gate.write("\n" * turns)
            gate.flush()

    def play_on(self) -> None:
        """Let the bots play as they like."""
        for gate in self._gates:
            gate.close()


def open_match(page: Page, address: str) -> None:
    """Open the page of a match that the log has announced: it is recorded just after that."""
    for _ in range(100):
        answer = page.goto(address)
        if answer is not None and answer.ok:
            return


@pytest.fixture(params=["packeis", "arktia", "icecult"])
def contest(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Contest]:
    with ExitStack() as stack:
        yield Contest(stack, request.param, tmp_path)


def test_a_match_is_watched_from_its_first_turn_to_its_result(
    browser: Browser, contest: Contest
) -> None:
    with tab(browser, contest.pages) as page:
        open_match(page, f"/matches/{contest.match}?lang=en")
        place, live = page.locator(".viewer-place"), page.locator(".viewer-live")
        badge = page.locator(".viewer-badge")
        expect(place).to_have_text("turn 0 of 0")
        expect(page.locator("a.button[download]")).to_be_hidden()
        expect(page.locator(".viewer-result")).to_contain_text("in play")

        contest.play(2)
        expect(place).to_contain_text("turn 4 of 4")
        expect(page.locator(".viewer-said")).to_contain_text("Turn 4")
        expect(page.locator(".turn-entry")).to_have_count(4)

        running = page.locator(".clock.running")
        expect(running).to_have_count(1)
        expect(running).not_to_have_text(running.inner_text())  # it runs by itself

        expect(badge).to_have_text("live")
        page.keyboard.press("Home")
        contest.play(1)
        expect(place).to_have_text("turn 0 of 6")
        expect(badge).to_have_text("6 turns behind")
        live.click()
        expect(place).to_contain_text("turn 6 of 6")
        expect(badge).to_have_text("live")

        contest.play_on()
        expect(live).to_be_hidden()
        expect(page.locator(".viewer-result")).not_to_contain_text("in play")
        expect(page.locator(".viewer-result")).to_contain_text(re.compile(r"won|drew|share"))
        expect(page.locator("#about .players .first")).not_to_have_count(0)
        expect(page.get_by_role("link", name="Download the replay")).to_have_count(2)
        expect(page.locator("a.button[download]")).to_be_visible()

        page.reload()
        expect(page.locator(".board")).to_be_visible()
        page.keyboard.press("End")
        expect(page.locator(".seat-result").first).to_contain_text("rank")
        with page.expect_download() as downloading:
            page.get_by_role("link", name="Download the replay").first.click()
        assert downloading.value.suggested_filename == f"{contest.match}.replay"


def test_live_is_held_and_caught_up_with(browser: Browser, tmp_path: Path) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "packeis", tmp_path)
        with tab(browser, contest.pages) as page:
            open_match(page, f"/matches/{contest.match}?lang=en")
            place, badge = page.locator(".viewer-place"), page.locator(".viewer-badge")
            contest.play(2)
            expect(place).to_have_text("turn 4 of 4")

            page.keyboard.press("Space")
            expect(badge).to_have_text("paused")
            contest.play(3)
            expect(place).to_have_text("turn 4 of 10")
            expect(badge).to_have_text("6 turns behind")

            page.keyboard.press("Space")
            expect(place).to_have_text("turn 10 of 10")
            expect(badge).to_have_text("live")
            contest.play(1)
            expect(place).to_have_text("turn 12 of 12")

            page.keyboard.press("Space")
            page.keyboard.press("Space")
            expect(badge).to_have_text("live")
            expect(place).to_have_text("turn 12 of 12")
            page.keyboard.press("Home")
            page.keyboard.press("End")
            expect(badge).to_have_text("live")


def test_an_address_of_a_turn_to_come_stays_until_the_reader_goes_elsewhere(
    browser: Browser, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "icecult", tmp_path)
        with tab(browser, contest.pages) as page:
            page.clock.install()
            open_match(page, f"/matches/{contest.match}?lang=en#turn=2.2")
            expect(page.locator(".viewer-place")).to_have_text("turn 0 of 0")
            contest.play(2)
            expect(page.locator(".turn-entry")).to_have_count(4)
            page.clock.run_for(1000)
            page.reload()
            expect(page.locator(".viewer-place")).to_contain_text("turn 2 of 4, step 2 of")


def test_many_live_pages_leave_connections_for_others(browser: Browser, tmp_path: Path) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "icecult", tmp_path)
        with tab(browser, contest.pages) as first:
            open_match(first, f"/matches/{contest.match}?lang=en")
            pages = [first, *(first.context.new_page() for _ in range(6))]
            for page in pages[1:]:
                page.goto(f"/matches/{contest.match}?lang=en")
            for page in pages:
                expect(page.locator(".viewer-place")).to_have_text("turn 0 of 0")
            contest.play(2)
            for page in pages:
                expect(page.locator(".turn-entry")).to_have_count(4)


@contextmanager
def another_site(page: str) -> Iterator[str]:
    """The address of a site with one page."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            serving.join(PATIENCE_S)


def test_frames_without_an_origin_follow_a_match(browser: Browser, tmp_path: Path) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "icecult", tmp_path)
        with tab(browser, contest.pages) as page:
            address = f"/embed/matches/{contest.match}?lang=en"
            open_match(page, address)
            frame = f'<iframe sandbox="allow-scripts" src="{contest.pages}{address}"></iframe>'
            page.goto(stack.enter_context(another_site(frame * 8)))
            places = [
                page.frame_locator("iframe").nth(number).locator(".viewer-place")
                for number in range(8)
            ]
            for place in places:
                expect(place).to_have_text("turn 0 of 0")
            contest.play(2)
            for place in places:
                expect(place).to_contain_text("of 4")


HIDE = """hidden => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_page_has_no_connection_and_then_shows_what_it_missed(
    browser: Browser, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "icecult", tmp_path)
        with tab(browser, contest.pages) as page:
            open_match(page, f"/matches/{contest.match}?lang=en")
            contest.play(1)
            expect(page.locator(".turn-entry")).to_have_count(2)
            with page.expect_event("requestfailed", lambda one: "/api/v1/live/" in one.url):
                page.evaluate(HIDE, True)
            contest.play(1)
            with page.expect_request("**/api/v1/live/*after=*"):
                page.evaluate(HIDE, False)
            expect(page.locator(".turn-entry")).to_have_count(4)


def test_the_address_of_a_step_opens_it(browser: Browser, tmp_path: Path) -> None:
    with ExitStack() as stack:
        contest = Contest(stack, "icecult", tmp_path)
        with tab(browser, contest.pages, permissions=["clipboard-read", "clipboard-write"]) as page:
            page.goto(f"/matches/{contest.match}?lang=en#turn=2.2")
            contest.play(2)
            expect(page.locator(".turn-entry")).to_have_count(4)
            page.reload()
            expect(page.locator(".viewer-place")).to_contain_text("turn 2 of 4, step 2 of")
            page.keyboard.press("ArrowRight")
            expect(page.locator(".viewer-place")).to_contain_text("turn 2 of 4, step 3 of")
            page.get_by_role("button", name="Copy link").click()
            expect(page.get_by_role("button", name="Copied")).to_be_visible()
            link = page.evaluate("navigator.clipboard.readText()")
            assert link == f"{contest.pages}/matches/{contest.match}#turn=2.3"
            page.goto("about:blank")
            page.goto(link)
            expect(page.locator(".viewer-place")).to_contain_text("turn 2 of 4, step 3 of")


class Hosted:
    """A game server with pages and two matches in play.

    Attributes:
        address: of the pages.
        end: ends a match, counted from 0 in the order of beginning.
    """

    def __init__(self, address: str, tables: list[Table], token: trio.lowlevel.TrioToken) -> None:
        self.address = address
        self._tables = tables
        self._token = token

    def end(self, number: int) -> None:
        trio.from_thread.run(self._tables[number].resign, 0, trio_token=self._token)


@asynccontextmanager
async def open_hosted(folder: Path) -> AsyncIterator[Hosted]:
    async with (
        open_host(folder) as host,
        open_web(WebSettings(port=0), PageSources(host.store, host.server)) as address,
    ):
        tables = [await host.table(name) for name in ("first", "second")]
        yield Hosted(address, tables, trio.lowlevel.current_trio_token())


def test_a_match_for_which_there_was_no_room_is_listed_when_there_is_some(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "IN_PLAY", 1)
    with (
        in_a_thread(partial(open_hosted, tmp_path)) as hosted,
        tab(browser, hosted.address) as page,
    ):
        page.goto("/?lang=en")
        names = page.locator("#live-list .live-name:visible")
        expect(names).to_have_text([called("second")])
        hosted.end(1)
        expect(names).to_have_text([called("first")])
        expect(page.locator("#live-none")).to_be_hidden()


def test_match_followed_to_its_end_says_so_and_has_a_way_on(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        in_a_thread(partial(open_hosted, tmp_path)) as hosted,
        tab(browser, hosted.address) as page,
    ):
        page.goto("/matches/first?lang=en")
        expect(page.locator(".viewer-head .tag.live")).to_be_visible()
        hosted.end(0)
        expect(page.locator(".viewer-result")).to_contain_text("resigned")
        expect(page.locator(".viewer-head .tag.live")).to_have_count(0)
        page.get_by_role("link", name="What is played now").click()
        expect(page.locator(".tv-players")).to_contain_text("second.0")


def test_address_names_no_turn_when_the_match_is_live_again(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        in_a_thread(partial(open_hosted, tmp_path)) as hosted,
        tab(browser, hosted.address) as page,
    ):
        page.goto("/matches/first?lang=en#turn=0")
        live = page.locator(".viewer-live")
        expect(live).to_be_visible()
        live.click()
        expect(live).to_be_hidden()
        page.wait_for_function("location.hash === ''")
