"""Short blocks of the same bots go to a worker in one task; each block has its own result."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio

from polynya_common.errors import RunError
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.records import MatchSetup
from polynya_tournaments.distribution.batches import BATCH_S, MOST_BLOCKS, Batches
from polynya_tournaments.distribution.block_messages import (
    BlockResult,
    BlockTask,
    PortableBot,
    bots_key,
)

pytestmark = pytest.mark.usefixtures("autojump_clock")


def block(number: int, *names: str, seeds: dict[str, dict[str, int]] | None = None) -> BlockTask:
    """A block of one match of these bots."""
    players = names or ("ann", "bob")
    setup = MatchSetup(
        match=f"cup-{number}", game="packeis", players=players, clock=Clock(move_ms=9), seed=number
    )
    return BlockTask(
        version="1",
        tournament="cup",
        bot_seeds=seeds or {"None": dict.fromkeys(players, 1)},
        setups=(setup,),
        bots=tuple(PortableBot(name=name, builtin="random") for name in players),
        sandbox=SandboxSettings(),
        start_ms=1,
        restarts=0,
        server=ServerSettings(),
    )


class Workers:
    """Workers that play each block in ``seconds``.

    Attributes:
        tasks: the matches of each task, in the order of sending.
    """

    def __init__(self, seconds: float, error: Exception | None = None) -> None:
        self.tasks: list[list[str]] = []
        self._seconds = seconds
        self._error = error

    async def send(self, tasks: Sequence[BlockTask]) -> list[BlockResult]:
        """See ``batches.Send``."""
        self.tasks.append([task.setups[0].match for task in tasks])
        await trio.sleep(self._seconds * len(tasks))
        if self._error is not None:
            raise self._error
        return [
            BlockResult(worker=task.setups[0].match, replays=(b"",), seconds=self._seconds)
            for task in tasks
        ]


async def played(workers: Workers, tasks: Sequence[BlockTask], slots: int = 1) -> list[str]:
    """The name of the worker in the result of each block, all asked for at the same time."""
    found = [""] * len(tasks)
    async with trio.open_nursery() as nursery:
        batches = Batches(workers.send, lambda: slots, nursery)

        async def ask(place: int) -> None:
            found[place] = (await batches.play(tasks[place])).worker

        async with trio.open_nursery() as asking:
            for place in range(len(tasks)):
                asking.start_soon(ask, place)
        nursery.cancel_scope.cancel()
    return found


async def test_each_block_of_a_batch_has_its_own_result() -> None:
    tasks = [block(number) for number in range(40)]
    assert await played(Workers(BATCH_S / 10), tasks) == [f"cup-{number}" for number in range(40)]


async def test_task_of_short_blocks_lasts_no_longer_than_half_a_second() -> None:
    workers = Workers(BATCH_S / 10)
    await played(workers, [block(number) for number in range(100)])
    assert max(map(len, workers.tasks)) == 10


async def test_task_of_very_short_blocks_has_a_bound() -> None:
    workers = Workers(0.0)
    await played(workers, [block(number) for number in range(1_000)])
    assert max(map(len, workers.tasks)) == MOST_BLOCKS


async def test_blocks_that_last_long_are_sent_one_by_one() -> None:
    workers = Workers(2 * BATCH_S)
    await played(workers, [block(number) for number in range(20)])
    assert {len(task) for task in workers.tasks} == {1}


async def test_blocks_of_different_bots_are_never_in_one_task() -> None:
    workers = Workers(BATCH_S / 10)
    pairs = (("ann", "bob"), ("ann", "cid"))
    await played(workers, [block(number, *pairs[number % 2]) for number in range(100)])
    assert max(map(len, workers.tasks)) > 1
    assert all(len({int(match[4:]) % 2 for match in task}) == 1 for task in workers.tasks)


async def test_last_blocks_are_divided_among_the_workers() -> None:
    workers = Workers(BATCH_S / 10)
    await played(workers, [block(number) for number in range(28)], slots=2)
    assert len(workers.tasks[-1]) < 10


async def test_error_of_a_task_is_that_of_each_of_its_blocks() -> None:
    with pytest.RaisesGroup(
        pytest.RaisesExc(RunError), pytest.RaisesExc(RunError), flatten_subgroups=True
    ):
        await played(Workers(1.0, RunError("gone")), [block(1), block(2)])


async def test_block_whose_caller_is_cancelled_is_not_sent() -> None:
    workers = Workers(1.0)
    async with trio.open_nursery() as nursery:
        batches = Batches(workers.send, lambda: 1, nursery)
        nursery.start_soon(batches.play, block(1))
        nursery.start_soon(batches.play, block(2))
        await trio.sleep(0.1)
        with trio.move_on_after(0.1):
            await batches.play(block(3))
    assert sorted(workers.tasks) == [["cup-1"], ["cup-2"]]


def test_same_bots_in_other_seats_have_the_same_processes() -> None:
    assert bots_key(block(1, "ann", "bob")) == bots_key(block(2, "bob", "ann"))


def test_bots_with_other_seeds_have_other_processes() -> None:
    assert bots_key(block(1)) != bots_key(block(1, seeds={"None": {"ann": 2, "bob": 1}}))
