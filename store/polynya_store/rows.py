"""The rows that repositories return: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polynya_common.reasons import Cause
from polynya_contest.ratings import openskill
from polynya_contest.ratings.model import interval
from polynya_contest.ratings.pool import Pool, System


@dataclass(frozen=True, slots=True)
class BotRow:
    """A bot, as the host knows it.

    Attributes:
        name: its name.
        created_ms: when it was first seen, ms since 1970.
        registered: whether it has a token.
        revoked: whether its token was taken away, so that no bot can play under the name.
        suspension: why the ladder gives it no matches, a sentence; None while it does.
        guest: whether it only was a guest in matches of people: one of them, or a bot for them.
    """

    name: str
    created_ms: int
    registered: bool
    revoked: bool = False
    suspension: Cause | None = None
    guest: bool = False


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament: what is played, and how far it has come.

    Attributes:
        name, game, players: what is played.
        created_ms: when it was drawn up, ms since 1970.
        scheduled: matches that are drawn and are played or to be played.
        played: those of them with a result.
        to_come: matches of rounds that are not drawn yet, as far as this is known.
    """

    name: str
    game: str
    players: int
    created_ms: int
    scheduled: int
    played: int
    to_come: int = 0

    @property
    def to_play(self) -> int:
        """All matches that are played or to be played, drawn or not."""
        return self.scheduled + self.to_come


@dataclass(frozen=True, slots=True)
class SeatRow:
    """The bot at a seat and its result.

    Attributes:
        name: the bot's.
        rank, score: None without a result.
        forfeit: the contract's word for why it forfeited.
        sandbox: what it ran in, ``none`` for the rights of the host; None if it came from outside.
    """

    name: str
    rank: int | None
    score: int | None
    forfeit: str | None
    sandbox: str | None = None


@dataclass(frozen=True, slots=True)
class MatchRow:
    """An attempt to play a match; ``reason`` is None while it is in play.

    Attributes:
        match: its id.
        tournament: the tournament's name, None on a ladder.
        block: the key of its block, None on a ladder.
        attempt: 1 for the first.
        game, options, clock, seed: the set-up.
        rated: whether the result counts for ratings.
        started_ms, finished_ms: when it was begun and ended, ms since 1970.
        reason: ``finished``, ``forfeit``, ``aborted`` or ``annulled``.
        termination, detail, server_fault: as in the record.
        seats: by seat.
        why: why a ladder paired these bots, a sentence; None in a tournament.
        hidden: whether its result is not public yet.
        kept_back: whether its result is public, but of a game with hidden parts not yet the rest.
        unwatched: whether it may not even be watched in play: its deal comes again.
        annulled: why the host has annulled it, so that it does not count, a sentence; None if not.
        imported: where it came from if it was played elsewhere, in words; else None.
    """

    match: str
    tournament: str | None
    block: str | None
    attempt: int
    game: str
    options: dict[str, Any]
    clock: dict[str, int | None]
    seed: int
    rated: bool
    started_ms: int
    finished_ms: int | None
    reason: str | None
    termination: str | None
    detail: Cause | None
    server_fault: bool
    seats: tuple[SeatRow, ...]
    why: Cause | None = None
    hidden: bool = False
    kept_back: bool = False
    unwatched: bool = False
    annulled: Cause | None = None
    imported: str | None = None


@dataclass(frozen=True, slots=True)
class PairingRow:
    """A drawn match.

    Attributes:
        number: in its tournament, from 1.
        block: the key of its block.
        players: the bots by seat.
        seed: of its set-up.
        state: ``open``, ``played``, ``abandoned``, ``held``, ``walkover`` or ``dropped``.
        detail: why it was not played, a sentence; None if it was or may be.
        match: the id of the attempt that gave its result, None without one.
        missing: the bots that missed it, each with the reason, if it is a walkover.
    """

    number: int
    block: str
    players: tuple[str, ...]
    seed: int
    state: str
    detail: Cause | None
    match: str | None
    missing: Mapping[str, str] = field(default_factory=dict)


class Estimate:
    """A row with a rating and its deviation."""

    __slots__ = ()

    rating: float
    deviation: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rating."""
        return interval(self.rating, self.deviation)


@dataclass(frozen=True, slots=True)
class RatingRow(Estimate):
    """A bot's present rating in a pool.

    Attributes:
        bot, game, players: whose, in what.
        rating: the number; OpenSkill's mu.
        games: matches of all versions.
        deviation: the rating's standard deviation, 0 for an anchor; OpenSkill's sigma.
        provisional: whether its version has played few matches yet.
        anchor: whether the rating is fixed.
        version: what the bot declared in its last match, None for nothing; the rating is that
            version's.
        clock_class, variant, system: of its pool: only ratings of one pool can be compared.
        rank: among the bots of its pool, 1 the best, equal ratings the same; None while the rating
            is provisional.
    """

    bot: str
    game: str
    players: int
    rating: float
    games: int
    deviation: float
    provisional: bool
    anchor: bool
    version: str | None
    system: System
    clock_class: str
    variant: str
    rank: int | None = None

    @property
    def pool(self) -> Pool:
        """The pool of ratings that it can be compared with."""
        return Pool(self.game, self.players, self.system, self.clock_class, self.variant)

    @property
    def ordinal(self) -> float:
        """The value that orders ratings of this system, largest first."""
        if self.system == "openskill":
            return float(openskill.ordinal(self.rating, self.deviation))
        return self.rating


@dataclass(frozen=True, slots=True)
class VersionRow(Estimate):
    """The rating of one version of a bot.

    Attributes:
        bot, game, players, system, clock_class, variant: whose, in which pool.
        version: what the bot declared, None for nothing.
        rating, deviation, provisional: as in ``RatingRow``.
        games: matches of this version.
        first_match: the id of its first.
        present: whether the bot played this version last.
    """

    bot: str
    game: str
    players: int
    version: str | None
    rating: float
    games: int
    deviation: float
    provisional: bool
    first_match: str
    present: bool
    system: System
    clock_class: str
    variant: str

    @property
    def pool(self) -> Pool:
        """The pool of ratings that it can be compared with."""
        return Pool(self.game, self.players, self.system, self.clock_class, self.variant)
