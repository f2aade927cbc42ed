"""Ratings in the order of times: matches that come into a database after they were played.

The recorded order of ratings stands. A match in it was rated when the last match up to it had
ended, and one from elsewhere is put behind all that had been rated when it ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import accumulate
from operator import itemgetter

import sqlalchemy as sa

from polynya_contest.ratings.book import Result
from polynya_store.ratings import applied_ratings


def rate_by_time(connection: sa.Connection, added: Sequence[int]) -> bool:
    """Rate matches (by id) that have just been added, where their times put them.

    Returns:
        whether ratings were computed again, because matches that were rated ended later.
    """
    found = applied_ratings.results(connection, added)
    earlier = applied_ratings.rated_results(connection)
    new = set(added)
    recorded = [result for result in earlier if result.match_id not in new]
    ended_ms = applied_ratings.ended_ms(connection)
    ordered = in_order_of_time([timed(recorded, ended_ms), sorted_by_time(found, ended_ms)])
    if ordered[: len(recorded)] == recorded:
        applied_ratings.apply(connection, ordered[len(recorded) :])
        return False
    applied_ratings.rewrite(connection, ordered)
    return True


def in_order_of_time(sequences: Iterable[Sequence[tuple[int, Result]]]) -> list[Result]:
    """Results of several sequences with their times, by time; at one time the first comes first."""
    return [result for _, result in merge(*sequences, key=itemgetter(0))]


def timed(ordered: Sequence[Result], ended_ms: Mapping[int, int]) -> list[tuple[int, Result]]:
    """Results as they were rated, each with the time when it could be: the latest end up to it."""
    ends = accumulate((ended_ms[result.match_id] for result in ordered), max)
    return list(zip(ends, ordered, strict=True))


def sorted_by_time(
    results: Sequence[Result], ended_ms: Mapping[int, int]
) -> list[tuple[int, Result]]:
    """Results with the times when they ended, in this order; equal ones stay as they are."""
    return sorted(((ended_ms[one.match_id], one) for one in results), key=itemgetter(0))
