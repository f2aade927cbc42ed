"""Rates matches in order and keeps all ratings; the same results give the same ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import msgspec

from polynya_contest.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
    rate_match,
    version_of,
)
from polynya_contest.ratings.opponent_bound import (
    BoundedMatch,
    OpponentSum,
    Pair,
    largest_sum,
)
from polynya_contest.ratings.pool import Pool
from polynya_protocol.messages import Software

Method = Literal[1, 2]
"""How a recorded match is rated.

1: the whole change counts. So are matches of tournaments, whose schedule says how often two bots
meet, and all matches up to version 0.3.0.

2: the effect of one opponent on an Elo rating is bounded (see ``opponent_bound``). So are matches
of ladders.
"""

IN_FULL: Method = 1
BOUNDED: Method = 2


@dataclass(frozen=True, slots=True)
class Result:
    """A match to rate: ranks and versions of its bots, and the rating settings.

    ``bots``, ``opponents``, ``names``, ``versions``, ``ranking`` and ``anchors`` are by seat;
    ``opponents`` are the ids as which the bots count as opponents; ``ended_ms`` is when the match
    ended, in ms since 1970.
    """

    match_id: int
    pool: Pool
    method: Method
    bots: tuple[int, ...]
    opponents: tuple[int, ...]
    names: tuple[str, ...]
    versions: tuple[str, ...]
    ranking: tuple[int, ...]
    anchors: tuple[float | None, ...]
    settings: RatingSettings
    ended_ms: int

    @classmethod
    def of(cls, rows: Sequence[Any]) -> Result:
        """The same from the rows of its seats, each with the records of the match."""
        first = rows[0]
        return cls(
            first.id,
            Pool(first.game, first.players, first.rating_system, first.clock_class, first.variant),
            first.rating_method,
            tuple([row.bot_id for row in rows]),
            # Bots with the same id here count as one opponent.
            tuple([row.bot_id for row in rows]),
            tuple([row.name for row in rows]),
            tuple([_version(row.software) for row in rows]),
            tuple([row.rank for row in rows]),
            tuple([row.anchor for row in rows]),
            RatingSettings.of_row(first),
            first.finished_ms or 0,
        )

    @property
    def is_bounded(self) -> bool:
        """Whether the effect of each opponent is bounded."""
        return self.method == BOUNDED and self.pool.system == "elo"

    def pairs(self) -> Iterator[Pair]:
        """Each bot with each opponent of the match, as it counts."""
        for seat, bot in enumerate(self.bots):
            for other, opponent in enumerate(self.opponents):
                if other != seat:
                    yield bot, opponent


@lru_cache(maxsize=4096)
def _version(software: str | None) -> str:
    """The version that a bot has declared, from the record of its software, JSON text."""
    return version_of(None if software is None else msgspec.json.decode(software, type=Software))


@dataclass(frozen=True, slots=True)
class Change:
    """A seat's rating before and after a match, and the K that was used; None if there is none."""

    before: Strength
    after: Strength
    k_factor: float | None


@dataclass(frozen=True, slots=True)
class _Last:
    """State after a version's last match: was its rating fixed, is it provisional."""

    anchor: bool
    provisional: bool


class RatingBook:
    """Ratings of all pools.

    Attributes:
        present: what is known of each bot, by pool and id.
        sums: the effect of each opponent on the rating of each bot, by pool.
        rated_bots: how many bots have a rating, by pool.
    """

    def __init__(self) -> None:
        self.present: dict[Pool, dict[int, BotStrength]] = defaultdict(dict)
        self.sums: dict[Pool, dict[Pair, OpponentSum]] = defaultdict(dict)
        self.rated_bots = Counter[Pool]()
        self._first_matches: dict[tuple[Pool, int, str], int] = {}
        self._last: dict[tuple[Pool, int, str], _Last] = {}

    def apply(self, result: Result) -> list[Change]:
        """Rate one match: each seat's change; none where the arithmetic cannot rate it.

        Such a match changes nothing: its result stands, and its rating is made up when ratings
        are computed again.
        """
        pool, settings = self.present[result.pool], result.settings
        before = [
            initial_strength(settings, pool.get(bot), anchor, result.ended_ms)
            for bot, version, anchor in zip(
                result.bots, result.versions, result.anchors, strict=True
            )
        ]
        bound = self._bound(result, before)
        bounded = None if bound is None else bound.bounded
        try:
            after = rate_match(settings, before, result.ranking, result.anchors, bounded)
        except ArithmeticError:
            return []
        if bound is not None:
            fixed = {
                bot
                for bot, anchor in zip(result.bots, result.anchors, strict=True)
                if anchor is not None
            }
            self.sums[result.pool].update(
                (pair, known) for pair, known in bound.sums.items() if pair[0] not in fixed
            )
        for seat, strength in enumerate(after):
            self._note(result, seat, strength)
        return [
            Change(old, new, settings.k_of(old) if anchor is None else None)
            for old, new, anchor in zip(before, after, result.anchors, strict=True)
        ]

    def _bound(self, result: Result, before: Sequence[Strength]) -> BoundedMatch | None:
        if not result.is_bounded:
            return None
        pool = self.present[result.pool]
        rated = self.rated_bots[result.pool] + sum(bot not in pool for bot in result.bots)
        return BoundedMatch(
            result.bots,
            result.opponents,
            tuple([strength.games for strength in before]),
            self.sums[result.pool],
            largest_sum(result.settings.k_factor, rated - 1),
        )

    def _note(self, result: Result, seat: int, strength: Strength) -> None:
        bot, version = result.bots[seat], result.versions[seat]
        pool = self.present[result.pool]
        self.rated_bots[result.pool] += bot not in pool
        known = pool.get(bot) or BotStrength(version, {}, 0)
        played = known.versions[version].games if version in known.versions else 0
        pool[bot] = known.after(version, replace(strength, games=played + 1), result.ended_ms)
        anchor = result.anchors[seat] is not None
        provisional = not anchor and result.settings.is_provisional(strength)
        key = (result.pool, bot, version)
        self._first_matches.setdefault(key, result.match_id)
        self._last[key] = _Last(anchor, provisional)

    def version_rows(self) -> Iterator[dict[str, Any]]:
        """The present state of all versions that have played, as rows of their table."""
        for (pool, bot, version), last in self._last.items():
            strength = self.present[pool][bot].versions[version]
            yield {
                **pool._asdict(),
                "bot_id": bot,
                "version": version,
                "rating": strength.rating,
                "deviation": strength.deviation,
                "games": strength.games,
                "provisional": last.provisional,
                "first_match_id": self._first_matches[pool, bot, version],
            }

    def sum_rows(self) -> Iterator[dict[str, Any]]:
        """The effects of opponents on ratings, as rows of their table."""
        for pool, sums in self.sums.items():
            for (bot, opponent), known in sums.items():
                yield {
                    **pool._asdict(),
                    "bot_id": bot,
                    "opponent_id": opponent,
                    "total": known.total,
                    "games": known.games,
                }

    def rating_rows(self) -> Iterator[dict[str, Any]]:
        """The present state of all bots that have played, as rows of their table."""
        for pool, bot in dict.fromkeys((pool, bot) for pool, bot, _ in self._last):
            known = self.present[pool][bot]
            last = self._last[pool, bot, known.version]
            yield {
                **pool._asdict(),
                "bot_id": bot,
                "rating": known.present.rating,
                "deviation": known.present.deviation,
                "games": known.games,
                "version": known.version,
                "provisional": last.provisional,
                "anchor": last.anchor,
                "last_ms": known.last_ms,
            }
