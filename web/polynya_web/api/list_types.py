"""The types of the API besides matches: games, bots, ratings, tournaments."""

from __future__ import annotations

from typing import Any

from polynya_common.reasons import Reason
from polynya_evidence.analysis import BotEstimate
from polynya_store import Intervention, LadderRow, Place, ScheduleRow, TournamentRow
from polynya_web.content.match_types import MatchView, Value


class OptionView(Value, frozen=True):
    """A set-up option of a game: its key, its default (null if that depends), its meaning."""

    name: str
    default: Any
    description: str


class GameView(Value, frozen=True):
    """An installed game: its name, the one for people, for how many players, its options."""

    name: str
    title: str
    min_players: int
    max_players: int
    options: list[OptionView]


class MatchList(Value, frozen=True):
    """A page of matches, those that were begun last first.

    Attributes:
        matches: the matches.
        older, newer: the parameter of that name for the pages on either side; null if there is
            none.
    """

    matches: list[MatchView]
    older: str | None
    newer: str | None


class Ladder(Value, frozen=True):
    """A page of a ladder, the best first, and how many bots it has in all.

    Attributes:
        game, players, system: of its matches and ratings.
        clock_class: how long a bot may think in a match: ``ultrabullet``, ``bullet``, ``blitz``,
            ``rapid``, ``classical`` or ``unknown``.
        variant: the game's options that are not the usual ones, "" for none.
        bots: how many it has in all.
        rows: those of this page.
    """

    game: str
    players: int
    system: str
    clock_class: str
    variant: str
    bots: int
    rows: list[LadderRow]


class LadderAnalysis(Value, frozen=True):
    """Strengths of bots from all results of a selection at once.

    Attributes:
        game, players: of the matches.
        clock_class, variant: as of a ladder; null for all.
        matches: how many results were looked at.
        taken_ms: when that was, ms since 1970.
        bots: the best first; without results none. A rating is on the Elo scale, and 1500 the mean
            of the field; an end of its 95 % interval is null where results set no bound.
        draw_rate: the share of ties among all comparisons of two bots, 0 to 1; null without any.
        without: why the strengths cannot be computed, a sentence; empty if they can.
        without_cause: the same as a code with fields; null where there is only text.
    """

    game: str
    players: int
    clock_class: str | None
    variant: str | None
    matches: int
    taken_ms: int
    bots: list[BotEstimate]
    draw_rate: float | None
    without: str
    without_cause: Reason | None


class BotView(Value, frozen=True):
    """A bot.

    Attributes:
        name: its name.
        created_ms: when it was first seen, ms since 1970.
        registered: whether it has a token.
        suspended: whether the ladder gives it no matches.
    """

    name: str
    created_ms: int
    registered: bool
    suspended: bool


class BotList(Value, frozen=True):
    """A page of bots by name, and how many there are in all."""

    total: int
    bots: list[BotView]


class BotProfile(Value, frozen=True):
    """A bot, where it stands, how often it has forfeited, by the reason, and what hosts did."""

    bot: BotView
    places: list[Place]
    forfeits: dict[str, int]
    interventions: list[Intervention]


class TournamentList(Value, frozen=True):
    """All tournaments, the oldest first."""

    tournaments: list[TournamentRow]


class Schedule(Value, frozen=True):
    """A page of a tournament's schedule; without rows behind its end."""

    tournament: str
    rows: list[ScheduleRow]
