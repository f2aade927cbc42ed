"""Tabulation: the lines of a tournament's table, and the columns that count its matches."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from polynya_contest.pairing.standings import (
    ABSENT,
    NOT_READY,
    MatchResult,
    Merit,
    Standing,
    Walkover,
)
from polynya_contest.ratings.elo import pair_score


def tabulate(
    names: Sequence[str],
    results: Iterable[MatchResult] | Mapping[MatchResult, int],
    ratings: Mapping[str, float],
    merits: Mapping[str, Merit] | None = None,
    walkovers: Iterable[Walkover] = (),
    gone: Container[str] = (),
    *,
    players: int = 2,
) -> tuple[Standing, ...]:
    """The lines of the table for all bots of a tournament.

    By the format's merits; without any by points, walkovers included. At equal points a bot that
    is gone or never played stands behind; then more wins (for more than two players more first
    ranks, shared ones too) and fewer forfeits decide. Bots that are equal in all of it share a
    place and are listed by name.

    Args:
        names: of all bots.
        results: of the matches; or each different one with how often it occurred.
        ratings: to be shown, by name.
        merits: what the format decides places by; None or empty for the points alone.
        walkovers: matches that were not played.
        gone: the bots that have withdrawn.
        players: of a match.
    """
    tallies = {name: _Tally([0] * players) for name in names}
    for result, times in Counter(results).items():
        for seat, name in enumerate(result.names):
            tallies[name].add(seat, result, times)
    for walkover in walkovers:
        for name, points in walkover.points().items():
            tallies[name].add_walkover(points, walkover.missing.get(name))
    keys = {
        name: tuple(-value for value in merits[name].order)
        if merits
        else tally.key(gone=name in gone)
        for name, tally in tallies.items()
    }
    ordered = sorted(names, key=lambda name: (keys[name], name))
    in_order = sorted(keys.values())
    return tuple(
        tallies[name].standing(
            place=1 + bisect_left(in_order, keys[name]),
            name=name,
            rating=ratings[name],
            figures=merits[name].figures if merits else {},
            by_rank=players > 2,
            by_wins=players == 2,
        )
        for name in ordered
    )


@dataclass(slots=True)
class _Tally:
    places: list[int]
    points: float = 0.0
    games: int = 0
    wins: int = 0
    draws: int = 0
    forfeits: int = 0
    walkovers: int = 0
    missed: int = 0
    silent: int = 0

    def add(self, seat: int, result: MatchResult, times: int) -> None:
        """Count matches of this bot with the same result."""
        rank = result.ranking[seat]
        alone = result.ranking.count(rank) == 1
        others = (*result.ranking[:seat], *result.ranking[seat + 1 :])
        self.points += times * sum(pair_score(rank, other) for other in others)
        self.games += times
        self.places[rank - 1] += times
        self.wins += times * (rank == 1 and alone)
        self.draws += times * (rank == 1 and not alone)
        self.forfeits += times * result.forfeited[seat]
        self.silent += times * (result.names[seat] in result.silent)

    def add_walkover(self, points: float, missed: str | None) -> None:
        """Count a match that was not played; ``missed`` says why this bot missed it, if it did."""
        self.points += points
        self.walkovers += missed is None
        self.missed += missed is not None
        self.forfeits += missed in (ABSENT, NOT_READY)

    def key(self, *, gone: bool) -> tuple[float, ...]:
        """The criteria that decide places; the smaller, the better."""
        firsts = self.places[0] if len(self.places) > 2 else self.wins
        return (-self.points, gone or self.games == self.silent, -firsts, self.forfeits)

    def standing(
        self,
        *,
        place: int,
        name: str,
        rating: float,
        figures: Mapping[str, float | str | None],
        by_rank: bool,
        by_wins: bool,
    ) -> Standing:
        """The line in the table."""
        return Standing(
            place=place,
            name=name,
            points=self.points,
            games=self.games,
            wins=self.wins if by_wins else None,
            draws=self.draws if by_wins else None,
            losses=self.games - self.wins - self.draws if by_wins else None,
            forfeits=self.forfeits,
            rating=rating,
            figures=figures,
            walkovers=self.walkovers,
            missed=self.missed,
            places=tuple(self.places) if by_rank else None,
        )


_DECIDING = {"score", "out"}
"""Figures that decide places before all others."""

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
    """Whether the figures break ties in points, as in a round robin, and follow them.

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
    """Explains the headings of walkovers and missed matches; empty without these."""
    return _MISSED if any(row.walkovers or row.missed for row in rows) else ""
