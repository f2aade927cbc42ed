"""The table of a tournament: points, games, forfeits and ratings by place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polynya_tournaments.ratings.elo import pair_score


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
    """What a bot's place is decided by.

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
        verdict: what the matches were to decide, in a sentence; empty for most formats.
        test: the same in numbers, by name.
        rated_by: the system of the ratings, ``elo`` or ``openskill``.
    """

    tournament: str
    game: str
    players: int
    played: int
    scheduled: int
    rows: tuple[Standing, ...]
    unplayed: tuple[str, ...] = ()
    format: str = "round_robin"
    rounds: tuple[Round, ...] = ()
    over: bool = True
    verdict: str = ""
    test: Mapping[str, float | str | list[int]] = field(default_factory=dict)
    rated_by: str = "elo"

    @property
    def complete(self) -> bool:
        """Whether every match has a result, and no round is to come."""
        return self.over and self.played == self.scheduled


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What the table takes from a match.

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
    """A match that was decided without being played, because bots missed it.

    Attributes:
        names: by seat.
        missing: the bots that missed it, each with the reason: ``withdrawn``, ``absent`` or
            ``not_ready``; at least one.
    """

    names: tuple[str, ...]
    missing: Mapping[str, str]

    def points(self) -> dict[str, float]:
        """A point for each missing opponent of a bot that was there, none for a missing one."""
        won = float(len(self.missing))
        return {name: 0.0 if name in self.missing else won for name in self.names}


def tabulate(
    names: Sequence[str],
    results: Iterable[MatchResult] | Mapping[MatchResult, int],
    ratings: Mapping[str, float],
    merits: Mapping[str, Merit] | None = None,
    walkovers: Iterable[Walkover] = (),
    gone: Container[str] = (),
    *,
    players: int = 2,
    per_game: bool = False,
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
        per_game: order by points per game, and count wins for any number of players, as rules 1.
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
        else tally.key_per_game()
        if per_game
        else tally.key(gone=name in gone)
        for name, tally in tallies.items()
    }
    ordered = sorted(names, key=lambda name: (keys[name], name))
    return tuple(
        tallies[name].standing(
            place=1 + sum(key < keys[name] for key in keys.values()),
            name=name,
            rating=ratings[name],
            figures=merits[name].figures if merits else {},
            by_rank=players > 2,
            by_wins=players == 2 or per_game,
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
        """Count matches of this bot that ended alike."""
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
        """What places are decided by; the smaller, the better."""
        firsts = self.places[0] if len(self.places) > 2 else self.wins
        return (-self.points, gone or self.games == self.silent, -firsts, self.forfeits)

    def key_per_game(self) -> tuple[float, ...]:
        """The same by rules 1."""
        return (-self.points / max(self.games, 1), -self.points, -self.wins, self.forfeits)

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
