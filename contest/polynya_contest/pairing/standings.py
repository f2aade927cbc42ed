"""The values of a tournament's table: lines, rounds, and the results that they count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polynya_common.reasons import Cause


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's line.

    Attributes:
        place: 1 the best; bots that are equal in all that counts share a place. None if all bots
            have withdrawn: then no bot has a place.
        name: the bot.
        points: opponents left behind, a tie counting 1/2: for two players win 1, draw 1/2, loss 0.
        games: matches with a result.
        wins, draws, losses: of two players, how many of its matches ended so; None for more.
        forfeits: matches in which it forfeited (they are among the games), and matches that it
            missed because it was absent or not ready.
        rating: its Elo rating after its last rated match of the tournament; before one, that of
            its entry.
        figures: what else its place is decided by in this format, by name, the weightiest first;
            None where a figure says nothing of this bot.
        walkovers: matches that were not played because opponents missed them.
        missed: matches that were not played because it missed them itself.
        places: of more than two players, how many of its matches it ended at each rank, the
            first one first; bots that are level share the best rank of theirs. None for two.
    """

    place: int | None
    name: str
    points: float
    games: int
    wins: int | None
    draws: int | None
    losses: int | None
    forfeits: int
    rating: float
    figures: Mapping[str, float | str | None] = field(default_factory=dict)
    walkovers: int = 0
    missed: int = 0
    places: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Meeting:
    """Bots that met in a round.

    Attributes:
        players: their names.
        points: of each in all matches of the meeting.
        advancing: the bots that go on to the next round, the best first, as far as decided.
        note: ``bye``, or what else than points decided it; else empty.
        id: in a bracket the meeting's place, ``PART/ROUND/PLACE``; else empty.
        goes_to: in a bracket, for each place in the meeting, the ``id`` of the meeting to which it
            leads; empty where a bot is out. A bye leads to one.
    """

    players: tuple[str, ...]
    points: tuple[float, ...]
    advancing: tuple[str, ...] = ()
    note: str = ""
    id: str = ""
    goes_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """A round, and the meetings of it.

    Attributes:
        number: from 1; rounds of several parts of a bracket that are played together share one.
        name: what it is called.
        meetings: as far as they are known.
        part: of a bracket: ``knockout``, ``winners``, ``losers``, ``third place``, ``final`` or
            ``deciding final``; empty in other formats.
    """

    number: int
    name: str
    meetings: tuple[Meeting, ...]
    part: str = ""


@dataclass(frozen=True, slots=True)
class Merit:
    """The criteria that decide a bot's place.

    Attributes:
        order: compared from the left, the greater the better.
        figures: what the table shows of it.
    """

    order: tuple[float, ...]
    figures: Mapping[str, float | str | None]


@dataclass(frozen=True, slots=True)
class Standings:
    """The table; ``dataclasses.asdict`` of it is the JSON form.

    Attributes:
        tournament: its name.
        game, players: what is played.
        played, scheduled: matches with a result, and all.
        rows: by place.
        unplayed: one sentence for each reason why matches have no result.
        format: how it is drawn.
        rounds: the meetings by round, where the format has rounds.
        over: whether there is nothing to be drawn any more.
        verdict: what the matches decided; empty for most formats.
        test: the same in numbers, by name.
        rated_by: the system of the ratings, ``elo`` or ``openskill``.
    """

    tournament: str
    game: str
    players: int
    played: int
    scheduled: int
    rows: tuple[Standing, ...]
    unplayed: tuple[Cause, ...] = ()
    format: str = "round_robin"
    rounds: tuple[Round, ...] = ()
    over: bool = True
    verdict: Cause = ""
    test: Mapping[str, float | str | list[int]] = field(default_factory=dict)
    rated_by: str = "elo"

    @property
    def complete(self) -> bool:
        """Whether every match has a result, and no round is to come."""
        return self.over and self.played == self.scheduled


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The parts of a match that count in the table.

    Attributes:
        names: by seat.
        ranking: by seat, 1 the best, ties equal.
        forfeited: by seat, whether the bot forfeited.
        silent: the bots that were not ready, where the others played without them.
    """

    names: tuple[str, ...]
    ranking: tuple[int, ...]
    forfeited: tuple[bool, ...]
    silent: tuple[str, ...] = ()


WITHDRAWN, ABSENT, NOT_READY = "withdrawn", "absent", "not_ready"
"""Why a bot missed a match."""


@dataclass(frozen=True, slots=True)
class Walkover:
    """A match decided unplayed, because bots missed it.

    Attributes:
        names: by seat.
        missing: the bots that missed it, each with the reason: ``withdrawn``, ``absent`` or
            ``not_ready``; at least one.
    """

    names: tuple[str, ...]
    missing: Mapping[str, str]

    def points(self) -> dict[str, float]:
        """A present bot's points: one for each missing opponent; a missing bot has none."""
        won = float(len(self.missing))
        return {name: 0.0 if name in self.missing else won for name in self.names}
