"""The order in which sockets are served when more can be read than can be served at once."""

from __future__ import annotations

import select

from polynya_server.cohort import BATCH, CALLS, Cohort

READ, WRITE = select.POLLIN, select.POLLOUT


def told_of(*descriptors: int) -> Cohort:
    cohort = Cohort()
    cohort.put([(descriptor, READ) for descriptor in descriptors])
    return cohort


def served(cohort: Cohort) -> list[int]:
    return [descriptor for descriptor, _ in cohort.take()]


def test_nobody_is_served_if_nobody_can_be() -> None:
    cohort = Cohort()
    assert (len(cohort), cohort.take()) == (0, [])


def test_a_batch_holds_those_who_came_first() -> None:
    cohort = told_of(*range(BATCH + 1))
    assert [list(range(BATCH)), [BATCH], []] == [served(cohort) for _ in range(3)]


def test_who_is_told_of_twice_is_served_once_with_all_that_can_be_done() -> None:
    cohort = told_of(1, 2)
    cohort.put([(1, WRITE)])
    assert cohort.take() == [(1, READ | WRITE), (2, READ)]
    assert len(cohort) == 0


def test_who_was_served_just_now_and_can_be_again_comes_before_those_who_wait() -> None:
    cohort = told_of(*range(CALLS + 2 * BATCH))
    for _ in range(CALLS // BATCH):
        cohort.take()
    first = served(cohort)
    cohort.put([(first[3], READ)])
    assert first[3] == served(cohort)[0]


def test_when_a_cohort_has_had_its_calls_who_has_waited_longest_comes_before_it() -> None:
    cohort = told_of(*range(CALLS))
    for _ in range(CALLS // BATCH - 1):
        cohort.take()
    waiting = list(range(CALLS, CALLS + BATCH))
    cohort.put([(descriptor, READ) for descriptor in waiting])
    last = served(cohort)
    cohort.put([(descriptor, READ) for descriptor in last])
    assert [waiting, last] == [served(cohort), served(cohort)]


def test_nobody_waits_for_ever_beside_others_who_always_can_be_read() -> None:
    everybody = range(10 * BATCH)
    cohort = told_of(*everybody)
    seen: set[int] = set()
    for _ in range(2 * len(everybody) * CALLS // BATCH**2):
        batch = served(cohort)
        seen.update(batch)
        cohort.put([(descriptor, READ) for descriptor in batch])
    assert set(everybody) == seen
    assert len(everybody) == len(cohort)
