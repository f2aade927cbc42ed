"""Rates matches in order and keeps all ratings; the same results give the same ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import msgspec

from polynya_contest.ratings.model import (
    BotStrength,
    RatingSettings,
    Strength,
    initial_strength,
    rate_match,
    version_of,
)
from polynya_contest.ratings.pool import Pool
from polynya_protocol.messages import Software


@dataclass(frozen=True, slots=True)
class Result:
    """A match to rate: ranks and versions of its bots, and the rating settings.

    ``bots``, ``names``, ``versions``, ``ranking`` and ``anchors`` are by seat; ``ended_ms`` is
    when the match ended, in ms since 1970.
    """

    match_id: int
    pool: Pool
    bots: tuple[int, ...]
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
            tuple([row.bot_id for row in rows]),
            tuple([row.name for row in rows]),
            tuple([_version(row.software) for row in rows]),
            tuple([row.rank for row in rows]),
            tuple([row.anchor for row in rows]),
            RatingSettings.of_row(first),
            first.finished_ms or 0,
        )


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
    """

    def __init__(self) -> None:
        self.present: dict[Pool, dict[int, BotStrength]] = defaultdict(dict)
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
        try:
            after = rate_match(settings, before, result.ranking, result.anchors)
        except ArithmeticError:
            return []
        for seat, strength in enumerate(after):
            self._note(result, seat, strength)
        return [
            Change(old, new, settings.k_of(old) if anchor is None else None)
            for old, new, anchor in zip(before, after, result.anchors, strict=True)
        ]

    def _note(self, result: Result, seat: int, strength: Strength) -> None:
        bot, version = result.bots[seat], result.versions[seat]
        pool = self.present[result.pool]
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
