"""The order in which sockets are served when more can be read than can be served at once."""

from __future__ import annotations

import select

from polynya_server.transport.cohort import BATCH, CALLS, CROWD, RUSH, Cohort, Events

READ, WRITE = select.POLLIN, select.POLLOUT


def can_be_read(*descriptors: int) -> Events:
    return [(descriptor, READ) for descriptor in descriptors]


def served(cohort: Cohort, *ready: int) -> list[int]:
    """Who is served next, now that ``ready`` can be read too."""
    return [descriptor for descriptor, _ in cohort.next(can_be_read(*ready))]


def rushed() -> Cohort:
    """Instant bots have kept it busy for so long that there are cohorts; one is about to begin."""
    cohort = Cohort()
    ready = list(range(CALLS))
    for _ in range(RUSH // BATCH):
        ready = served(cohort, *ready)
    cohort.next(can_be_read(*ready))
    return cohort


def longest_wait(bots: int) -> int:
    """How many others were served at most before a bot was, where all can always be read."""
    cohort = Cohort()
    calls, longest = 0, 0
    last = [0] * bots
    ready = list(range(bots))
    for _ in range(2 * RUSH // BATCH + bots):
        ready = served(cohort, *ready)
        for bot in ready:
            longest = max(longest, calls - last[bot])
            last[bot] = calls
        calls += len(ready)
    return longest


def test_nobody_is_served_if_nobody_can_be() -> None:
    assert served(Cohort()) == []


def test_all_are_served_in_the_order_of_coming_where_they_fit_into_a_batch() -> None:
    everybody = list(range(BATCH))
    assert everybody == served(Cohort(), *everybody)


def test_a_batch_holds_those_who_came_first() -> None:
    cohort = Cohort()
    batches = [served(cohort, *range(BATCH + 1)), served(cohort), served(cohort)]
    assert [list(range(BATCH)), [BATCH], []] == batches


def test_who_is_told_of_twice_is_served_once_with_all_that_can_be_done() -> None:
    cohort = Cohort()
    served(cohort, *range(BATCH + 2))
    assert cohort.next([(BATCH, WRITE)]) == [(BATCH, READ | WRITE), (BATCH + 1, READ)]
    assert cohort.next([]) == []


def test_who_has_waited_longest_comes_first_as_long_as_there_is_no_rush() -> None:
    cohort = Cohort()
    first = served(cohort, *range(2 * BATCH))
    assert served(cohort, *first) == list(range(BATCH, 2 * BATCH))
    assert served(cohort) == first


def test_in_a_rush_who_was_served_just_now_and_can_be_again_comes_before_those_who_wait() -> None:
    cohort = rushed()
    first = served(cohort)
    assert served(cohort, first[3])[0] == first[3]


def test_when_a_cohort_has_had_its_calls_who_has_waited_longest_comes_before_it() -> None:
    cohort = rushed()
    first = last = served(cohort)
    for _ in range(CALLS // BATCH):
        last = served(cohort, *last)
    assert not set(first) & set(last)


def test_a_rush_is_over_when_nobody_has_to_wait() -> None:
    cohort = rushed()
    while served(cohort):
        pass
    first = served(cohort, *range(2 * BATCH))
    assert served(cohort, *first) == list(range(BATCH, 2 * BATCH))


def test_nobody_waits_for_longer_than_the_cohorts_of_all_others_take() -> None:
    bots = 4 * BATCH
    assert longest_wait(bots) <= bots // BATCH * CALLS


def test_in_a_crowd_cohorts_are_so_much_shorter_that_nobody_waits_for_longer() -> None:
    assert longest_wait(4 * CROWD) <= CROWD * CALLS // BATCH


def test_who_is_closed_is_not_served() -> None:
    cohort = Cohort()
    served(cohort, *range(BATCH + 2))
    cohort.forget(BATCH)
    assert served(cohort) == [BATCH + 1]


def test_who_gets_the_number_of_one_who_is_closed_is_served_once() -> None:
    cohort = Cohort()
    served(cohort, *range(BATCH + 1))
    cohort.forget(BATCH)
    assert served(cohort, BATCH) == [BATCH]
    assert served(cohort) == []
