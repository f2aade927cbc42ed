"""Bodies that arrive: which of them give way when others wait, and that honest ones never do."""

# ruff: noqa: ARG001 -- a test has the clock by asking for it; a mark does not give it

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_tournaments.uploads.errors import FullError, QuotaError
from polynya_web.http.arriving_bodies import (
    FLOOR_BYTES_S,
    GRACE_S,
    WAIT_S,
    ArrivingBodies,
    Body,
)

MODEST_LINE = 64 * 1024
PLACES = 2


class Places:
    """As many bodies at the same time as there are places."""

    def __init__(self, bodies: ArrivingBodies) -> None:
        self.taken = 0
        self.bodies = bodies

    async def take(self) -> None:
        await trio.lowlevel.checkpoint()
        if self.taken == PLACES:
            raise FullError("as many as there may be")
        self.taken += 1

    async def begin(self, network: str | None = None) -> Body:
        return await self.bodies.begin(self.take, network)

    async def send(self, body: Body, bytes_s: int, seconds: float) -> None:
        """Send once a second until the time is over or it has to give way; it is ended then."""
        with body.scope:
            for _ in range(int(seconds)):
                await trio.sleep(1)
                body.received(bytes_s)
        self.taken -= 1
        self.bodies.end(body)


@pytest.fixture
def places() -> Places:
    return Places(ArrivingBodies())


async def test_slowest_body_under_the_floor_gives_way_to_one_that_waits(
    places: Places, autojump_clock: MockClock
) -> None:
    slow, slower = [await places.begin() for _ in range(PLACES)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(places.send, slow, 20, 100)
        nursery.start_soon(places.send, slower, 10, 100)
        before = trio.current_time()
        honest = await places.begin()
        assert trio.current_time() - before <= GRACE_S + 0.1
        assert (slow.scope.cancel_called, slower.scope.cancel_called) == (False, True)
        nursery.cancel_scope.cancel()
    places.bodies.end(honest)


async def test_body_over_a_modest_line_never_gives_way(
    places: Places, autojump_clock: MockClock
) -> None:
    honest = [await places.begin() for _ in range(PLACES)]
    async with trio.open_nursery() as nursery:
        for body in honest:
            nursery.start_soon(places.send, body, MODEST_LINE, 200)
        for _ in range(5):
            with pytest.raises(FullError):
                await places.begin()
        assert [body.scope.cancel_called for body in honest] == [False] * PLACES


async def test_line_that_stands_still_for_a_moment_is_given_time(
    places: Places, autojump_clock: MockClock
) -> None:
    bodies = [await places.begin() for _ in range(PLACES)]
    await trio.sleep(GRACE_S - 1)
    for body in bodies:
        body.received(MODEST_LINE)
    with trio.move_on_after(2):
        await places.begin()
    assert [body.scope.cancel_called for body in bodies] == [False] * PLACES


async def test_bytes_of_long_ago_do_not_count_for_ever(
    places: Places, autojump_clock: MockClock
) -> None:
    body = await places.begin()
    body.received(50 * 2**20)
    await trio.sleep(GRACE_S + 1)
    assert body.slack_s < 0


async def test_slow_bodies_are_left_alone_where_nobody_waits(
    places: Places, autojump_clock: MockClock
) -> None:
    body = await places.begin()
    await places.send(body, FLOOR_BYTES_S // 100, 100)
    assert not body.scope.cancel_called


async def test_complete_body_keeps_its_place(places: Places, autojump_clock: MockClock) -> None:
    bodies = [await places.begin() for _ in range(PLACES)]
    for body in bodies:
        body.is_complete = True
    before = trio.current_time()
    with pytest.raises(FullError):
        await places.begin()
    assert trio.current_time() - before == pytest.approx(WAIT_S, abs=0.1)
    assert [body.scope.cancel_called for body in bodies] == [False] * PLACES


async def test_one_network_does_not_fill_the_queue_of_those_that_wait(
    places: Places, autojump_clock: MockClock
) -> None:
    bodies = [await places.begin() for _ in range(PLACES)]
    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(places.begin, "192.0.2.0")
        await wait_all_tasks_blocked()
        before = trio.current_time()
        with pytest.raises(FullError):
            await places.begin("192.0.2.0")
        assert trio.current_time() == before
        nursery.cancel_scope.cancel()
    assert [body.scope.cancel_called for body in bodies] == [False] * PLACES


async def test_other_refusals_are_told_at_once(places: Places, autojump_clock: MockClock) -> None:
    async def refuse() -> None:
        await trio.lowlevel.checkpoint()
        raise QuotaError("no more today")

    with pytest.raises(QuotaError, match="today"):
        await places.bodies.begin(refuse, None)
