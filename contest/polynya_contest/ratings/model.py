"""The meaning of a rating: how it begins, how a match changes it, how a new version inherits it.

Two systems know how matches change ratings, ``elo`` and ``skill``; which one, and its figures, are
settings. A bot has one strength for all versions that it declares: with another version it goes
on where it was, as certain and with as many matches, so that declaring versions buys nothing. The
rating of a version after its last match is kept beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec

from polynya_contest.ratings import elo, openskill
from polynya_contest.ratings.pool import System
from polynya_protocol.errors import printable
from polynya_protocol.messages import Software
from polynya_server.settings import int_setting, number_setting, setting

NORMAL_95 = 1.96
"""Half the width of a 95 % interval, in deviations."""

SETTLED_SHARE = 1 / 3
"""With ``inactivity_days`` a rating has no rank while its deviation is more than this share of the
largest."""

Bounded = Callable[[int, int, float], float]
"""The part that counts of a seat's change by its result against another seat."""

_MOST_VERSION = 64
_DAY_MS = 86_400_000

RATING_COLUMNS = (
    "rating_system",
    "k_factor",
    "k_first",
    "start_rating",
    "provisional_games",
    "inactivity_days",
)
"""The columns that record with a match how it is rated."""


_RATINGS = (-10_000, 10_000)

ANCHORS: Mapping[System, tuple[float, float]] = {"elo": _RATINGS, "openskill": (-1_000, 1_000)}
"""The ratings that may be fixed: with farther ones OpenSkill's exponentials overflow."""


class RatingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How matches are rated: the table ``[rating]`` of a tournament and of a standing server.

    Attributes:
        anchors: ratings that never change, by the bots' names.
    """

    system: Annotated[
        System, setting("The rating system: elo or openskill (for more than two players).")
    ] = "elo"
    k_factor: Annotated[
        float, number_setting("Elo's K of a bot that has settled.", "", 0, 1_000)
    ] = 32.0
    k_first: Annotated[
        float,
        number_setting(
            "K in a bot's first match; K falls to k_factor while the rating is provisional.",
            "",
            0,
            1_000,
        ),
    ] = 256.0
    start: Annotated[
        float, number_setting("Elo's rating of a bot without matches.", "", *_RATINGS)
    ] = 1500.0
    provisional_games: Annotated[
        int,
        int_setting(
            "The number of matches after which a rating is no longer provisional.",
            "matches",
            0,
            10_000,
        ),
    ] = 60
    anchors: dict[str, float] = {}
    inactivity_days: Annotated[
        int,
        int_setting(
            "Days without a match after which a rating is as uncertain as a new bot's; "
            "0 for never.",
            "days",
            0,
            36_500,
        ),
    ] = 0

    @classmethod
    def of_row(cls, row: Any) -> RatingSettings:
        """The settings of a recorded match, from its :data:`RATING_COLUMNS`; without anchors."""
        return cls(
            system=row.rating_system,
            k_factor=row.k_factor,
            k_first=row.k_first,
            start=row.start_rating,
            provisional_games=row.provisional_games,
            inactivity_days=row.inactivity_days,
        )

    @property
    def columns(self) -> dict[str, Any]:
        """The settings as columns of a match; anchors are recorded with the seats."""
        values = (
            self.system,
            self.k_factor,
            self.k_first,
            self.start,
            self.provisional_games,
            self.inactivity_days,
        )
        return dict(zip(RATING_COLUMNS, values, strict=True))

    @classmethod
    def recorded(cls, description: Mapping[str, Any]) -> RatingSettings:
        """The settings of a tournament, from its recorded description."""
        return cls(
            system=description.get("rating", "elo"),
            start=float(description["start_rating"]),
            anchors=description.get("anchors", {}),
        )

    def rating_before_games(self, name: str) -> float:
        """The rating of a bot without matches."""
        return self.before_games(name).rating

    def before_games(self, name: str) -> Strength:
        """The strength of a bot without matches, by its name: it may be an anchor."""
        anchor = self.anchors.get(name)
        return self.unrated if anchor is None else Strength(anchor, 0.0, 0)

    def k_of(self, strength: Strength) -> float | None:
        """Elo's K of a bot with this strength; OpenSkill has none.

        It falls with its matches. With ``inactivity_days`` it is not less than the K by which a
        rating wavers as much as this one is uncertain, up to ``k_first``.
        """
        if self.system == "openskill":
            return None
        k = elo.k_factor(strength.games, self.k_first, self.k_factor, self.provisional_games)
        if not self.inactivity_days:
            return k
        return max(k, min(self.k_first, elo.stationary_k(strength.deviation)))

    def is_provisional(self, strength: Strength) -> bool:
        """Whether a rating has too few or too old matches for a rank."""
        is_old = strength.deviation > SETTLED_SHARE * self.largest_deviation
        return strength.games < self.provisional_games or bool(self.inactivity_days and is_old)

    @property
    def unrated(self) -> Strength:
        """A bot without matches."""
        start = self.start if self.system == "elo" else openskill.START
        return Strength(start, self.largest_deviation, 0)

    @property
    def largest_deviation(self) -> float:
        """The deviation of a bot without matches."""
        return elo.LARGEST_DEVIATION if self.system == "elo" else openskill.LARGEST_DEVIATION

    @property
    def logit(self) -> float:
        """Size of a rating point on the logistic scale of expected scores."""
        return elo.Q if self.system == "elo" else openskill.LOGIT

    @property
    def least_deviation(self) -> float:
        """Minimum deviation: a rating never settles completely."""
        return (
            elo.stationary_deviation(self.k_factor)
            if self.system == "elo"
            else openskill.LEAST_DEVIATION
        )


@dataclass(frozen=True, slots=True)
class Strength:
    """A rating, its standard deviation (0 for an anchor), and its number of matches."""

    rating: float
    deviation: float
    games: int


@dataclass(frozen=True, slots=True)
class BotStrength:
    """The known strength of a bot, by the versions that it has declared.

    Attributes:
        version: the version that it played last.
        versions: by version, "" for none declared.
        games: of all versions.
        last_ms: when its last match ended, ms since 1970; None if that is not known.
    """

    version: str
    versions: Mapping[str, Strength]
    games: int
    last_ms: int | None = None

    @property
    def present(self) -> Strength:
        """Its rating: that of the version that it played last."""
        return self.versions[self.version]

    def after(self, version: str, strength: Strength, ended_ms: int) -> BotStrength:
        """The strength after one more match that ended at this time."""
        versions = {**self.versions, version: strength}
        last_ms = ended_ms if self.last_ms is None else max(self.last_ms, ended_ms)
        return BotStrength(version, versions, self.games + 1, last_ms)


def interval(rating: float, deviation: float) -> tuple[float, float]:
    """The 95 % interval of a rating."""
    return rating - NORMAL_95 * deviation, rating + NORMAL_95 * deviation


def version_of(software: Software | None) -> str:
    """A bot's declared version, cleaned for display and comparison; "" for none."""
    declared = software.version if software is not None else None
    return printable(declared or "", limit=_MOST_VERSION)


def initial_strength(
    settings: RatingSettings,
    known: BotStrength | None,
    anchor: float | None,
    ended_ms: int | None = None,
) -> Strength:
    """A bot's strength before a match, with its matches by name.

    Args:
        settings: of the match.
        known: what is known of it, None before its first match.
        anchor: its rating if it is an anchor.
        ended_ms: when the match ended, ms since 1970; None while it has not, and inactivity is not
            looked at.
    """
    if known is None:
        found = settings.unrated
    else:
        found = replace(
            known.present,
            games=known.games,
            deviation=_after_inactivity(settings, known, ended_ms),
        )
    if anchor is not None:
        return Strength(anchor, 0.0, found.games)
    # A bot that was an anchor up to now has no certain rating any more.
    deviation = max(found.deviation, settings.least_deviation)
    return Strength(found.rating, deviation, found.games)


def _after_inactivity(settings: RatingSettings, known: BotStrength, ended_ms: int | None) -> float:
    """The deviation of a bot that has not played for a while: Glicko's, with c² by the settings.

    Source: Glickman, "The Glicko system", 1999, step 1: RD = min(√(RD² + c² t), 350).
    """
    before = known.present.deviation
    if not settings.inactivity_days or ended_ms is None or known.last_ms is None:
        return before
    days = max(0, ended_ms - known.last_ms) / _DAY_MS
    largest = settings.largest_deviation
    growth = (largest**2 - settings.least_deviation**2) / settings.inactivity_days
    return min(largest, math.sqrt(before**2 + growth * days))


def rate_match(
    settings: RatingSettings,
    before: Sequence[Strength],
    ranking: Sequence[int],
    anchors: Sequence[float | None],
    bounded: Bounded | None = None,
) -> list[Strength]:
    """The strengths after a match, by seat.

    Args:
        settings: of the match.
        before: as ``initial_strength`` gives them.
        ranking: its ranks by seat, 1 the best, ties equal.
        anchors: by seat the rating that does not change, None for those that do.
        bounded: bounds the change of an Elo rating by each opponent; None: all of it counts.

    Raises:
        ArithmeticError: the ratings are too far apart, or too large, to compute with.
    """
    after = _rated_by(settings, before, ranking, bounded)
    if not all(math.isfinite(figure) for pair in after for figure in pair):
        raise ArithmeticError("a rating that is no finite number")
    return [
        Strength(rating, deviation, old.games + 1)
        if anchor is None
        else Strength(old.rating, old.deviation, old.games + 1)
        for (rating, deviation), old, anchor in zip(after, before, anchors, strict=True)
    ]


def _rated_by(
    settings: RatingSettings,
    before: Sequence[Strength],
    ranking: Sequence[int],
    bounded: Bounded | None,
) -> list[tuple[float, float]]:
    ratings = [strength.rating for strength in before]
    least = settings.least_deviation
    if settings.system == "openskill":
        # An anchor's deviation of 0 is none that the library can work with.
        known = [max(least, strength.deviation) for strength in before]
        return openskill.rate(ratings, known, ranking)
    factors = [settings.k_of(strength) or 0.0 for strength in before]
    deviations = elo.deviations(ratings, [strength.deviation for strength in before], least)
    if bounded is None:
        after = elo.rate(ratings, ranking, factors)
    else:
        after = elo.rate_bounded(ratings, ranking, factors, bounded)
    return list(zip(after, deviations, strict=True))
