"""Feeds: everybody is sent the same events, and who does not take them costs nothing."""

from __future__ import annotations

import re
from contextlib import aclosing
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from polynya_web.content.background import BackgroundSlices
from polynya_web.http.responses import PATIENCE_S
from polynya_web.live.feeds import BEAT, BEAT_S, KEPT_CHUNKS, EventStream, Feed


class Counter:
    """A subject: its snapshot says how often it has been taken."""

    def __init__(self) -> None:
        self.taken = 0

    def __call__(self) -> bytes:
        self.taken += 1
        return b"snapshot %d\n\n" % self.taken


def said(chunk: bytes) -> bytes:
    """What a chunk says, without its id and its line ends."""
    return b"".join(line for line in chunk.splitlines() if not line.startswith(b"id: "))


def id_of(chunk: bytes) -> str:
    """The id of a chunk, which is the last one in it."""
    ids: list[bytes] = re.findall(rb"^id: (.*)$", chunk, re.MULTILINE)
    return ids[-1].decode()


async def test_a_viewer_gets_a_snapshot_and_then_what_happens() -> None:
    feed = Feed(Counter())
    async with aclosing(feed.follow()) as chunks:
        assert said(await anext(chunks)) == b"snapshot 1"
        feed.publish([b"a\n\n"])
        assert said(await anext(chunks)) == b"a"
        feed.publish([b"b\n\n"])
        feed.publish([b"c\n\n"])
        assert said(await anext(chunks)) == b"bc"


async def test_viewer_that_has_fallen_behind_gets_a_new_snapshot() -> None:
    feed = Feed(Counter())
    async with aclosing(feed.follow()) as chunks:
        await anext(chunks)
        for _ in range(KEPT_CHUNKS):
            feed.publish([b".\n\n"])
        assert said(await anext(chunks)) == b"." * KEPT_CHUNKS
        for _ in range(KEPT_CHUNKS + 1):
            feed.publish([b".\n\n"])
        assert said(await anext(chunks)) == b"snapshot 2"
        feed.publish([b"a\n\n"])
        assert said(await anext(chunks)) == b"a"


async def test_snapshot_is_made_once_for_all_viewers(autojump_clock: object) -> None:
    del autojump_clock
    subject = Counter()
    feed = Feed(subject)
    for _ in range(3):
        async with aclosing(feed.follow()) as chunks:
            assert said(await anext(chunks)) == b"snapshot 1"
    feed.publish([b"a\n\n"])
    async with aclosing(feed.follow()) as chunks:
        assert said(await anext(chunks)) == b"snapshot 2"


async def test_later_viewer_gets_a_snapshot_with_current_clocks(
    autojump_clock: object,
) -> None:
    del autojump_clock
    feed = Feed(lambda: b"%d s\n\n" % trio.current_time())
    told = []
    for _ in range(2):
        async with aclosing(feed.follow()) as chunks:
            told.append(int(said(await anext(chunks)).removesuffix(b" s")))
        await trio.sleep(10)
    assert told[1] - told[0] == 10


async def test_at_the_end_a_viewer_gets_what_is_missing_and_is_let_go() -> None:
    feed = Feed(Counter())
    async with aclosing(feed.follow()) as chunks:
        await anext(chunks)
        feed.publish([b"last\n\n"])
        feed.end()
        assert [said(chunk) async for chunk in chunks] == [b"last"]
    assert feed.viewers == 0


async def test_a_viewer_that_comes_back_gets_what_it_has_missed() -> None:
    feed = Feed(Counter())
    async with aclosing(feed.follow()) as chunks:
        last = id_of(await anext(chunks))
    feed.publish([b"a\n\n"])
    feed.publish([b"b\n\n"])
    async with aclosing(feed.follow(last)) as chunks:
        assert said(await anext(chunks)) == b"ab"
        feed.publish([b"c\n\n"])
        assert said(await anext(chunks)) == b"c"


async def test_a_viewer_that_asks_again_gets_only_news() -> None:
    feed = Feed(Counter())
    last = id_of(feed.missed(None))
    assert feed.missed(last) == BEAT
    feed.publish([b"a\n\n"])
    news = feed.missed(last)
    assert said(news) == b"a"
    assert feed.missed(id_of(news)) == BEAT


@pytest.mark.parametrize(
    "after", ["", "0", "other-0", "{id}-", "{id}-1", "{id}-٣", f"{{id}}-{10**20}"]
)
async def test_a_viewer_with_the_id_of_another_feed_gets_a_snapshot(after: str) -> None:
    feed = Feed(Counter())
    own = id_of(feed.missed(None)).partition("-")[0]
    assert said(feed.missed(after.format(id=own))).startswith(b"snapshot")


async def test_a_viewer_that_has_missed_too_much_gets_a_snapshot() -> None:
    feed = Feed(Counter())
    last = id_of(feed.missed(None))
    for _ in range(KEPT_CHUNKS + 1):
        feed.publish([b".\n\n"])
    assert said(feed.missed(last)) == b"snapshot 2"


async def test_there_are_signs_of_life_while_nothing_happens(autojump_clock: object) -> None:
    del autojump_clock
    feed, began = Feed(Counter()), trio.current_time()
    async with aclosing(feed.follow()) as chunks:
        await anext(chunks)
        assert [await anext(chunks), await anext(chunks)] == [b":\n\n", b":\n\n"]
    assert trio.current_time() - began == 2 * BEAT_S


async def test_viewers_are_counted_as_long_as_they_follow() -> None:
    feed = Feed(Counter())
    async with aclosing(feed.follow()) as first, aclosing(feed.follow()) as second:
        await anext(first)
        await anext(second)
        assert feed.viewers == 2
    assert feed.viewers == 0


async def connection_stays() -> dict[str, Any]:
    await trio.sleep_forever()
    raise AssertionError


async def test_viewer_that_never_reads_is_dropped(autojump_clock: object) -> None:
    del autojump_clock
    feed, began = Feed(Counter()), trio.current_time()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            await trio.sleep_forever()

    await EventStream(feed.follow())({"type": "http", "path": "/"}, connection_stays, send)
    assert (trio.current_time() - began, feed.viewers) == (PATIENCE_S, 0)


async def test_viewer_that_leaves_is_forgotten_at_once() -> None:
    feed, gone = Feed(Counter()), trio.Event()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        del message

    async with trio.open_nursery() as nursery:
        nursery.start_soon(EventStream(feed.follow()), {"type": "http", "path": "/"}, receive, send)
        await wait_all_tasks_blocked()
        assert feed.viewers == 1
        gone.set()
    assert feed.viewers == 0


async def test_spare_time_does_all_of_the_work_in_its_order() -> None:
    done: list[int] = []
    await BackgroundSlices(lambda: True, 0.5).each(range(5), done.append)
    assert done == [0, 1, 2, 3, 4]


async def test_an_error_ends_the_work_and_frees_the_time_for_others() -> None:
    background, done = BackgroundSlices(lambda: False, 0.5), list[int]()

    def work(item: int) -> None:
        done.append(item // (2 - item))

    try:
        await background.each(range(5), work)
    except ZeroDivisionError:
        await background.each([0], work)
    assert done == [0, 1, 0]


@pytest.mark.parametrize(("busy", "rests"), [(True, True), (False, False)])
async def test_spare_time_leaves_the_rest_to_the_matches_while_some_are_played(
    autojump_clock: object, busy: bool, rests: bool
) -> None:
    del autojump_clock
    began = trio.current_time()
    await BackgroundSlices(lambda: busy, 0.1).each(range(200_000), lambda item: [item] * 4)
    rested = trio.current_time() - began  # on a clock that only moves while all rest
    assert (rested > 0) == rests
