"""The table of a tournament counted by the database, and what else is only counted."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict

import pytest
from tests.scripted.scripted_referee import record_of

from polynya_contest.pairing.formats import Entrant, format_of
from polynya_contest.pairing.schedule import TournamentPlan, pairings_of
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.secret import Secret
from polynya_protocol.messages import Clock
from polynya_server.records import MatchSetup
from polynya_store import Attempt, OpenPairing, Store, StoreJournal
from polynya_store.tournaments.counted_results import BlockScore
from polynya_store.tournaments.tournament_table import decided_of, standings_of

NAMES = ("ann", "bob", "cid", "dot", "eve")
FORFEITS = ("timeout", "not_ready")
MISSED = ("absent", "not_ready")


def description(players: int) -> dict[str, object]:
    return {
        "bots": list(NAMES),
        "clock": {"initial_ms": None, "increment_ms": 0, "move_ms": 100},
        "cycles": 2,
        "format": "round_robin",
        "game": "packeis",
        "options": {},
        "players": players,
        "rules": 2,
        "seed": 5,
    }


async def begin(journal: StoreJournal, players: int) -> list[OpenPairing]:
    """Record a whole round robin; its matches."""
    entrants = tuple(Entrant(name) for name in NAMES)
    chosen = description(players)
    blocks = list(format_of(chosen, entrants).blocks_after(0) or ())
    plan = TournamentPlan(
        name="cup",
        game="packeis",
        players=players,
        secret=Secret.of_seed(5),
        configuration=json.dumps(chosen, sort_keys=True),
        entrants=entrants,
        pairings=tuple(pairings_of(blocks, Secret.of_seed(5).match_seed)),
    )
    return await journal.open_pairings(await journal.plan(plan))


async def play(journal: StoreJournal, one: OpenPairing, chance: random.Random) -> None:
    """A match with a result by chance: draws, and forfeits of the last, occur."""
    setup = MatchSetup(
        match=f"cup-{one.pairing.number}",
        game="packeis",
        players=one.pairing.players,
        clock=Clock(move_ms=100),
        seed=one.pairing.seed,
        rated=True,
    )
    setup = await journal.begin(Attempt(setup, RatingSettings(), pairing_id=one.id))
    seats = len(setup.players)
    ranking = chance.choice([[1] * seats, [*range(1, seats + 1)], [*range(seats, 0, -1)]])
    last = ranking.index(max(ranking))
    forfeits = {last: chance.choice(FORFEITS)} if chance.random() < 0.3 else None
    reason = "forfeit" if forfeits else "finished"
    await journal.finish(record_of(setup, ranking, reason=reason, forfeits=forfeits))  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [2, 3, 4])
async def test_counted_table_is_that_of_all_blocks(
    store: Store, journal: StoreJournal, players: int
) -> None:
    chance = random.Random(players)
    drawn = await begin(journal, players)
    tournament_id = 1
    for one in drawn:
        if chance.random() < 0.6:
            await play(journal, one, chance)
    missed = [one for one in drawn if chance.random() < 0.3]
    await journal.walk_over(
        tournament_id,
        [(one.id, {one.pairing.players[0]: chance.choice(MISSED)}) for one in missed],
    )
    await journal.withdraw(tournament_id, ["eve"])
    counted, found = store.tournaments.standings("cup"), store.tournaments.recorded("cup")
    ratings = {row.name: row.rating for row in counted.rows}
    from_blocks = standings_of(
        "cup", found.description, found.entrants, decided_of(found), ratings, counted.unplayed
    )
    assert from_blocks == counted
    assert sum(row.walkovers for row in counted.rows) > 0


@pytest.mark.parametrize("players", [2, 3, 4])
async def test_block_scores_are_those_of_all_blocks(
    store: Store, journal: StoreJournal, players: int
) -> None:
    chance = random.Random(players)
    drawn = await begin(journal, players)
    for one in drawn:
        if chance.random() < 0.8:
            await play(journal, one, chance)
    expected: dict[str, Counter[BlockScore]] = defaultdict(Counter)
    for block in store.tournaments.recorded("cup").blocks:
        comparisons = len(block.results) * (players - 1)
        for name, points in block.points().items():
            if comparisons:
                score = BlockScore(points, comparisons, block.complete)
                expected[name][score] += 1
    counted = store.tournaments.block_scores("cup")
    assert expected == counted
    assert {score.complete for each in counted.values() for score in each} == {True, False}


async def test_walkovers_are_no_part_of_block_scores(store: Store, journal: StoreJournal) -> None:
    first, second, *_ = await begin(journal, 2)
    await play(journal, first, random.Random(1))
    await journal.walk_over(1, [(second.id, {"ann": "absent"})])
    [(score, number)] = store.tournaments.block_scores("cup")[first.pairing.players[0]].items()
    assert (score.comparisons, score.complete, number) == (1, False, 1)


async def test_tournament_is_complete_when_each_match_is_decided(
    store: Store, journal: StoreJournal
) -> None:
    drawn, chance, complete = await begin(journal, 2), random.Random(1), []
    for one in drawn[:-1]:
        await play(journal, one, chance)
    complete.append(store.tournaments.is_complete("cup"))
    await journal.walk_over(1, [(drawn[-1].id, {"ann": "absent"})])
    complete.append(store.tournaments.is_complete("cup"))
    assert complete == [False, True]
    assert store.tournaments.standings("cup").complete


async def test_walkovers_are_drawn_but_not_scheduled(store: Store, journal: StoreJournal) -> None:
    drawn = await begin(journal, 2)
    await journal.walk_over(1, [(one.id, {"ann": "absent"}) for one in drawn[:3]])
    progress, [listed] = store.tournaments.progress("cup"), store.tournaments.all()
    assert progress.drawn == len(drawn)
    assert progress.walkovers == 3
    assert progress.scheduled == listed.scheduled == len(drawn) - 3
    assert progress.to_play == store.tournaments.standings("cup").scheduled


async def test_bots_that_missed_matches_are_told_with_reasons(
    store: Store, journal: StoreJournal
) -> None:
    first, second, *_ = await begin(journal, 2)
    await journal.walk_over(1, [(first.id, {"ann": "absent"}), (second.id, {"bob": "not_ready"})])
    assert store.tournaments.missed("cup") == {("ann", "absent"), ("bob", "not_ready")}
