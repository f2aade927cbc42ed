"""Waiting for changes: none is missed, and several are one."""

from __future__ import annotations

import trio
from trio.testing import wait_all_tasks_blocked

from polynya_server.changes import Changes

LIMIT_S = 60


async def test_a_change_wakes_every_task_that_waits() -> None:
    changes = Changes()
    woken: list[int] = []

    async def wait() -> None:
        woken.append(await changes.wait())

    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            nursery.start_soon(wait)
            await wait_all_tasks_blocked()
            changes.notify()
    assert woken == [1, 1]


async def test_a_change_since_the_version_read_is_not_missed() -> None:
    changes = Changes()
    seen = changes.version
    changes.notify()
    changes.notify()
    with trio.fail_after(LIMIT_S):
        assert await changes.wait(seen) == 2


async def test_a_task_that_has_seen_the_last_change_waits_for_the_next_one() -> None:
    changes = Changes()
    changes.notify()
    with trio.move_on_after(0) as scope:
        await changes.wait(changes.version)
    assert scope.cancelled_caught
