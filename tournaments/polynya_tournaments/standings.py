"""The table of a tournament: points, games, forfeits and ratings by place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from polynya_tournaments.elo import pair_score


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's line.

    Attributes:
        place: 1 the best; bots that are equal in all that counts share a place.
        name: the bot.
        points: opponents left behind, a tie counting 1/2: for two players win 1, draw 1/2, loss 0.
        games: matches with a result.
        wins: matches in which it alone came first.
        draws: matches in which it shared the first rank.
        losses: the others.
        forfeits: matches in which it forfeited (they are among the losses).
        rating: its Elo rating in this game with this number of players.
        figures: what else its place is decided by in this format, by name, the weightiest first.
    """

    place: int
    name: str
    points: float
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    rating: float
    figures: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Bots that met in a round.

    Attributes:
        players: their names.
        points: of each in all matches of the meeting.
        advancing: those who go on to the next round, the best first, as far as that is decided.
        note: ``bye``, or what else than points decided it; else empty.
    """

    players: tuple[str, ...]
    points: tuple[float, ...]
    advancing: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Round:
    """A round: its number from 1, what it is called, and who met."""

    number: int
    name: str
    meetings: tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class Merit:
    """What a bot's place is decided by.

    Attributes:
        order: compared from the left, the greater the better.
        figures: what the table shows of it.
    """

    order: tuple[float, ...]
    figures: Mapping[str, float | str]


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
        rounds: who met whom, where the format has rounds.
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
    """What the table takes from a match: per seat the bot, its rank, and whether it forfeited."""

    names: tuple[str, ...]
    ranking: tuple[int, ...]
    forfeited: tuple[bool, ...]


def tabulate(
    names: Sequence[str],
    results: Iterable[MatchResult],
    ratings: Mapping[str, float],
    merits: Mapping[str, Merit] | None = None,
) -> tuple[Standing, ...]:
    """The lines of the table for all bots of a tournament.

    By points per game, then points, wins, and fewer forfeits; bots equal in these share a place and
    are listed by name. Points per game come first so that a table in the middle of a tournament
    compares bots with different numbers of games; at the end all have played the same number.
    """
    tallies = {name: _Tally() for name in names}
    for result in results:
        for seat, name in enumerate(result.names):
            tallies[name].add(seat, result)
    keys = {
        name: tuple(-value for value in merits[name].order) if merits else tally.key()
        for name, tally in tallies.items()
    }
    ordered = sorted(names, key=lambda name: (keys[name], name))
    return tuple(
        tallies[name].standing(
            place=1 + sum(key < keys[name] for key in keys.values()),
            name=name,
            rating=ratings[name],
            figures=merits[name].figures if merits else {},
        )
        for name in ordered
    )


@dataclass(slots=True)
class _Tally:
    points: float = 0.0
    games: int = 0
    wins: int = 0
    draws: int = 0
    forfeits: int = 0

    def add(self, seat: int, result: MatchResult) -> None:
        """Count one match of this bot."""
        rank = result.ranking[seat]
        alone = result.ranking.count(rank) == 1
        others = (*result.ranking[:seat], *result.ranking[seat + 1 :])
        self.points += sum(pair_score(rank, other) for other in others)
        self.games += 1
        self.wins += rank == 1 and alone
        self.draws += rank == 1 and not alone
        self.forfeits += result.forfeited[seat]

    def key(self) -> tuple[float, ...]:
        """What places are decided by; the smaller, the better."""
        return (-self.points / max(self.games, 1), -self.points, -self.wins, self.forfeits)

    def standing(
        self, *, place: int, name: str, rating: float, figures: Mapping[str, float | str]
    ) -> Standing:
        """The line in the table."""
        return Standing(
            place=place,
            name=name,
            points=self.points,
            games=self.games,
            wins=self.wins,
            draws=self.draws,
            losses=self.games - self.wins - self.draws,
            forfeits=self.forfeits,
            rating=rating,
            figures=figures,
        )
