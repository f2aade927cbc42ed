"""Random tournaments of all formats, whose bots withdraw, enter late and miss matches at random.

Whatever happens, in whatever order the host's file lists the bots: the tournament ends, no block is
drawn twice, points are the matches decided, nothing is given to a bot that is not there, and all
of it is drawn again from the record.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats import interface
from polynya_contest.pairing.formats.brackets.knockout import (
    DoubleEliminationSettings,
    KnockoutSettings,
)
from polynya_contest.pairing.formats.schedule_settings import GauntletSettings
from polynya_contest.pairing.formats.swiss.swiss_settings import (
    DoubleSwissSettings,
    SwissSettings,
)
from polynya_contest.pairing.standings import Standings
from polynya_evidence.bundles.draw_check import Draw
from polynya_evidence.bundles.secret_check import PublishedSeeds
from polynya_evidence.reports.evidence import (
    DrawnMatch,
    Evidence,
    MatchOutcome,
    Schedule,
    secrets_of,
)
from polynya_protocol.messages import Clock
from polynya_store import Attempt, OpenPairing, Store, StoreJournal
from polynya_tournaments.tournament.drawing import RoundDrawer
from polynya_tournaments.tournament.progress_events import Reporter

MOST_EDITS = 6
KINDS = [
    ("round_robin", 2),
    ("round_robin", 3),
    ("round_robin", 4),
    ("gauntlet", 2),
    ("gauntlet", 3),
    ("swiss", 2),
    ("double_swiss", 2),
    ("knockout", 2),
    ("knockout", 3),
    ("knockout", 4),
    ("double_elimination", 2),
]


class RandomTournament:
    """A tournament, its host who edits the file between runs, and bots that miss matches."""

    def __init__(
        self, journal: StoreJournal, format_name: str, players: int, dice: random.Random
    ) -> None:
        self.journal = journal
        self.dice = dice
        size = dice.randint(max(players, 3), 9)
        self.names = [f"bot{number}" for number in range(size)]
        self.withdrawn: set[str] = set()
        self.configuration = configured(format_name, players, self.names, dice)
        self.attempts = 0

    @property
    def store(self) -> Store:
        """Where it is recorded."""
        return self.journal.store

    async def play(self) -> None:
        """Run after run, each with an edit before it, until nothing is left."""
        for _ in range(MOST_EDITS):
            await self._run(self.dice.randint(0, 12))
            self._edit()
        await self._run(2_000)

    def _edit(self) -> None:
        if self.dice.random() < 0.4:
            leaving = self.dice.sample(self.names, self.dice.randint(1, len(self.names)))
            self.withdrawn.update(leaving if self.dice.random() < 0.2 else leaving[:2])
        if self.dice.random() < 0.3 and self._takes_late() and not self._over():
            self.names.append(f"late{len(self.names)}")
        self.dice.shuffle(self.names)

    def _takes_late(self) -> bool:
        settings = self.configuration.format_settings
        drawn = self.store.tournaments.recorded("cup").blocks
        number = 1 + max((block.round for block in drawn), default=0)
        return settings is not None and not settings.refuses_late_entry(number)

    def _over(self) -> bool:
        return self.store.tournaments.standings("cup").over

    async def _run(self, most: int) -> None:
        bots = [
            BotConfiguration(name=name, external=True, withdrawn=name in self.withdrawn)
            for name in self.names
        ]
        late = self.dice.choice(["zero", "half"])
        described = msgspec.structs.replace(self.configuration, bots=bots, late_entry=late)
        rounds = RoundDrawer(described, self.journal, Reporter())
        left = await rounds.begin()
        for _ in range(most):
            if not left:
                break
            await self._decide(rounds, left.pop(self.dice.randrange(len(left))))
            left = left or await rounds.next()
        else:
            assert most < 2_000, "it does not end"

    async def _decide(self, rounds: RoundDrawer, found: OpenPairing) -> None:
        players = found.pairing.players
        if self.dice.random() < 0.15:
            missing = self.dice.sample(players, self.dice.randint(1, len(players)))
            why = {name: self.dice.choice(["absent", "not_ready"]) for name in missing}
            await self.journal.walk_over(rounds.tournament_id, [(found.id, why)])
            return
        self.attempts += 1
        setup = setup_of(f"cup-{self.attempts}", *players)
        attempt = Attempt(setup, self.configuration.rating, found.id, 1)
        ranking = [self.dice.randint(1, len(players)) for _ in players]
        ranks = [1 + sum(other < rank for other in ranking) for rank in ranking]
        await self.journal.finish(record_of(await self.journal.begin(attempt), ranks))


def configured(
    format_name: str, players: int, names: list[str], dice: random.Random
) -> TournamentConfiguration:
    settings = {
        "gauntlet": GauntletSettings(challengers=names[: max(1, len(names) - players)]),
        "swiss": SwissSettings(rounds=dice.randint(1, 4)),
        "double_swiss": DoubleSwissSettings(rounds=dice.randint(1, 4)),
        "knockout": KnockoutSettings(best_of=dice.randint(1, 3), tie_breaks=1),
        "double_elimination": DoubleEliminationSettings(tie_breaks=dice.randint(0, 1)),
    }
    table = {format_name: settings[format_name]} if format_name in settings else {}
    return TournamentConfiguration(
        name="cup",
        game="packeis",
        players=players,
        format=format_name,  # type: ignore[arg-type]
        bots=[],
        clock=Clock(move_ms=100),
        seed=dice.getrandbits(64),
        **table,  # type: ignore[arg-type]
    )


def evidence_of(store: Store) -> Evidence:
    """The record without replays: the matches here have none that could be refereed."""
    found = store.tournaments.recorded("cup")
    rows = {row.match: row for row in store.matches.find(tournament="cup")}
    drawn = tuple(
        DrawnMatch(
            number=row.number,
            block=row.block,
            players=row.players,
            seed=str(row.seed),
            state=row.state,  # type: ignore[arg-type]
            missing=dict(row.missing),
            match=row.match,
        )
        for row in store.tournaments.pairings("cup")
    )
    outcomes = {
        name: MatchOutcome(
            tuple(seat.name for seat in row.seats),
            tuple(seat.rank or 0 for seat in row.seats),
            tuple(seat.score or 0 for seat in row.seats),
        )
        for name, row in rows.items()
    }
    schedule = Schedule(
        tournament="cup",
        description=found.description,
        entrants=found.entrants,
        matches=drawn,
        secrets=secrets_of(store, "cup"),
    )
    return Evidence(schedule, outcomes)


def given_to_the_gone(table: Standings, store: Store) -> Iterator[str]:
    """What bots that were not there were given, in a sentence each."""
    for row in store.tournaments.pairings("cup"):
        if row.state == "walkover" and not row.missing:
            yield f"match {row.number} was missed by no bot"
    gone_at_first = {
        one.name for one in store.tournaments.recorded("cup").entrants if one.withdrawn_after == 0
    }
    for standing in table.rows:
        if standing.name in gone_at_first and standing.points:
            yield f"{standing.name} has points and was never there"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("format_name", "players"), KINDS)
async def test_tournament_with_random_absences_is_fair_and_ends(
    store: Store, journal: StoreJournal, format_name: str, players: int, seed: int
) -> None:
    dice = random.Random(f"{format_name}/{players}/{seed}")
    tournament = RandomTournament(journal, format_name, players, dice)
    await tournament.play()
    table = store.tournaments.standings("cup")
    assert table.complete
    check_blocks(store)
    check_points(table, store)
    check_first_place(table, store)
    assert list(given_to_the_gone(table, store)) == []
    evidence = evidence_of(store)
    seeds = PublishedSeeds(evidence.schedule)
    assert [*seeds.differences(), *Draw(evidence, seeds.seed_of).differences()] == []


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("format_name", "players"), KINDS[:5])
async def test_schedule_drawn_in_portions_is_as_fair(
    store: Store,
    journal: StoreJournal,
    monkeypatch: pytest.MonkeyPatch,
    format_name: str,
    players: int,
    seed: int,
) -> None:
    monkeypatch.setattr(interface, "AT_ONCE", 4)
    monkeypatch.setattr(interface, "LARGEST_PORTION", 3 * players)
    await test_tournament_with_random_absences_is_fair_and_ends(
        store, journal, format_name, players, seed
    )


def check_blocks(store: Store) -> None:
    """Each block was drawn once: its matches follow each other, one for each seat."""
    drawn = [row.block for row in store.tournaments.pairings("cup")]
    runs = [block for block, _ in itertools.groupby(drawn)]
    assert len(runs) == len(set(runs))
    assert {len(row.players) for row in store.tournaments.pairings("cup")} >= set(
        Counter(drawn).values()
    )


def check_points(table: Standings, store: Store) -> None:
    """For each match that was decided the points of all its pairs; 0-0 counts none."""
    expected = 0
    for row in store.tournaments.pairings("cup"):
        size, missing = len(row.players), len(row.missing)
        played = size * (size - 1) // 2
        expected += played if row.state == "played" else missing * (size - missing)
    assert expected == sum(row.points for row in table.rows)


def check_first_place(table: Standings, store: Store) -> None:
    """A winner was there to the end; without one the table says so."""
    found = store.tournaments.recorded("cup")
    gone = {
        one.name
        for one in found.entrants
        if one.withdrawn_after is not None and one.withdrawn_after < found.last_number
    }
    winners = {row.name for row in table.rows if row.place == 1}
    if len([one for one in found.entrants if one.withdrawn is None]) == 0:
        assert str(table.verdict) == "all bots have withdrawn: there is no winner"
    elif table.format in ("knockout", "double_elimination"):
        assert not winners & gone
    else:
        best = max(row.points for row in table.rows)
        level = {row.name for row in table.rows if row.points == best}
        assert table.format in ("swiss", "double_swiss") or not winners & gone or level <= gone
