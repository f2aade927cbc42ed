"""The cores of a worker: blocks get them in the order of asking."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from polynya_tournaments.distribution.worker_cores import DrainingError, WorkerCores


def having(*blocks: Future[int]) -> list[bool]:
    """Which blocks have their cores."""
    return [block.done() for block in blocks]


def test_blocks_play_at_the_same_time_while_their_cores_last() -> None:
    cores = WorkerCores(4)
    assert having(*(cores.ask(2) for _ in range(3))) == [True, True, False]


def test_blocks_of_one_core_play_on_all_cores_at_the_same_time() -> None:
    cores = WorkerCores(3)
    assert having(*(cores.ask(1) for _ in range(3))) == [True, True, True]


def test_released_cores_go_to_the_next_block() -> None:
    cores = WorkerCores(2)
    first, second = cores.ask(2), cores.ask(2)
    cores.release(first.result())
    assert having(second) == [True]


def test_wide_block_is_not_overtaken_by_narrow_ones() -> None:
    cores = WorkerCores(2)
    playing = cores.ask(1)
    wide, narrow = cores.ask(2), cores.ask(1)
    assert having(wide, narrow) == [False, False]
    cores.release(playing.result())
    assert having(wide, narrow) == [True, False]


def test_block_that_needs_more_cores_than_there_are_is_played_alone() -> None:
    cores = WorkerCores(2)
    wide, narrow = cores.ask(5), cores.ask(1)
    assert having(wide, narrow) == [True, False]
    cores.release(wide.result())
    assert having(narrow) == [True]


def test_cores_of_a_block_that_fails_are_released() -> None:
    cores = WorkerCores(1)
    with pytest.raises(ValueError, match="lost"), cores.taken(1):
        raise ValueError("lost")
    assert having(cores.ask(1)) == [True]


def test_draining_worker_returns_blocks_that_have_not_begun() -> None:
    cores = WorkerCores(1)
    playing, waiting = cores.ask(1), cores.ask(1)
    cores.drain()
    assert playing.exception() is None
    assert isinstance(waiting.exception(), DrainingError)
    with pytest.raises(DrainingError), cores.taken(1):
        pass
