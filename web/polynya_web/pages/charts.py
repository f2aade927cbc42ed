"""Ratings over time, for the charts of pages and for the tables that say the same."""

from __future__ import annotations

import msgspec

from polynya_store import Pool, RatingPoint, Store

ROWS = 12
"""How many lines a table has that stands for a chart."""


class Line(msgspec.Struct, frozen=True):
    """One line of a chart.

    Attributes:
        name: what it is called.
        points: seconds since 1970 and rating, in the order of time.
        samples: some of the points, for the table.
    """

    name: str
    points: list[tuple[int, float]]
    samples: list[RatingPoint] = []


def rating_line(store: Store, bot: str, pool: Pool, most: int) -> Line:
    """A bot's rating over time, ``most`` points at the most."""
    history = store.profiles.rating_history(bot, pool, most)
    points = [(point.finished_ms // 1000, round(point.rating, 1)) for point in history]
    return Line(bot, points, _samples(history))


def _samples(history: list[RatingPoint]) -> list[RatingPoint]:
    """At most ``ROWS`` of them, evenly spread, the last one among them."""
    step = -(-len(history) // ROWS) or 1
    return history[::-1][::step][::-1]
