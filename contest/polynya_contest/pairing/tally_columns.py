"""The columns of a table that count matches: the same ones in a terminal and in a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from polynya_contest.pairing.standings import Standing

_DECIDING = {"score", "out"}
"""Figures that places go by before anything else."""

_RANKS = ("1st", "2nd", "3rd", "4th")
_MISSED = (
    "walkovers: matches that opponents missed, a point for each missing opponent; missed: matches "
    "that the bot missed itself, without points. Neither is among the games, or rated. A match "
    "that a bot missed because it was absent or not ready is also among its forfeits."
)


def result_counts(row: Standing) -> Mapping[str, int | None]:
    """How a bot's matches ended, by heading: by rank, or for two players wins, draws, losses."""
    if row.places is not None:
        return dict(zip(_RANKS, row.places, strict=False))
    return {"wins": row.wins, "draws": row.draws, "losses": row.losses}


def figures_after_points(rows: Sequence[Standing]) -> bool:
    """Whether the figures break ties in points, as in a round robin, and so stand behind them.

    Else they begin with the figure that places go by, such as a score or a round.
    """
    figures = rows[0].figures if rows else {}
    return not figures.keys() & _DECIDING


def ratings_contradict(
    rows: Sequence[Standing], ratings: Mapping[str, float], digits: int = 0
) -> bool:
    """Whether a bot has a lower rating than the next one with a worse place, as both are shown.

    Args:
        rows: of the table, in order.
        ratings: by name.
        digits: behind the point that are shown.
    """
    placed = [
        (row.place, round(ratings[row.name], digits)) for row in rows if row.place is not None
    ]
    return any(
        place != later_place and rating < later_rating
        for (place, rating), (later_place, later_rating) in pairwise(placed)
    )


def tally(rows: Sequence[Standing]) -> list[Mapping[str, int | None]]:
    """For each line the counts by heading; walkovers and missed matches if any bot has some."""
    with_missed = any(row.walkovers or row.missed for row in rows)
    return [
        {
            **result_counts(row),
            **({"walkovers": row.walkovers, "missed": row.missed} if with_missed else {}),
            "forfeits": row.forfeits,
        }
        for row in rows
    ]


def tally_note(rows: Sequence[Standing]) -> str:
    """The meaning of the headings that are not plain; empty if the table has none of them."""
    return _MISSED if any(row.walkovers or row.missed for row in rows) else ""
