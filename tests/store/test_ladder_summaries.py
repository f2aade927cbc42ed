"""Summaries of a ladder's matches: as computed from all of them, and read by bot at a start."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import sqlalchemy as sa
import trio
from tests.scripted.scripted_referee import ScriptedReferee, record_of, setup_of

from polynya_contest.conduct import Conduct, conduct_of
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock
from polynya_store import Attempt, Store, StoreJournal, open_journal
from polynya_store.matches import ladder_summaries
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder
from polynya_tournaments.ladder.pairing_history import PairingHistory
from polynya_tournaments.ladder.roster_sync import RosterPoller
from polynya_tournaments.ladder.suspensions import Suspensions

BOTS = ("ann", "bob", "cid", "dot", "eve")
LADDER = LadderSettings("packeis", Clock(initial_ms=1_000), seed=3)


async def play(journal: StoreJournal, lots: random.Random, matches: int) -> list[tuple[str, ...]]:
    """Ladder matches in turn: half of them end by a fault, every fifth is only begun."""
    played = []
    for number in range(matches):
        first, second = lots.sample(BOTS, 2)
        setup = setup_of("", first, second)
        setup = await journal.begin(Attempt(setup, RatingSettings(), of_ladder=True))
        played.append(setup.players)
        if number % 5:
            faults = {0: "timeout"} if lots.random() < 0.5 else {}
            record = record_of(setup, [1, 2], forfeits=faults)  # type: ignore[arg-type]
            await journal.finish(msgspec.structs.replace(record, finished_ms=number + 10))
    return played


def pairing(history: PairingHistory) -> list[tuple[object, ...]]:
    pasts = [history.bot(name) for name in BOTS]
    order = sorted({past.last_match for past in pasts})
    return [
        (past.games, order.index(past.last_match), past.seats, list(past.met.items()))
        for past in pasts
    ]


def recorded_conduct(store: Store) -> dict[str, Conduct]:
    return dict(conduct_of(store.ladder.outcomes()))


async def test_pairing_goes_on_as_if_it_had_seen_all_matches(
    store: Store, journal: StoreJournal
) -> None:
    seen = PairingHistory()
    for players in await play(journal, random.Random(1), 60):
        seen.add(players)
    found = PairingHistory(*store.ladder.pasts(LADDER.pool))
    assert (seen.matches, pairing(seen)) == (found.matches, pairing(found))


async def test_conduct_is_that_of_all_matches(store: Store, journal: StoreJournal) -> None:
    await play(journal, random.Random(2), 60)
    assert recorded_conduct(store) == store.ladder.conduct()


async def test_conduct_begins_anew_when_a_bot_is_reinstated(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, random.Random(3), 20)
    store.interventions.resume("ann")
    assert "ann" not in store.ladder.conduct()
    await play(journal, random.Random(4), 20)  # these ended, it says, before
    assert recorded_conduct(store).get("ann", Conduct()) == store.ladder.conduct()["ann"]


async def test_conduct_follows_an_annulment(store: Store, journal: StoreJournal) -> None:
    await play(journal, random.Random(5), 40)
    assert store.interventions.annul("ann", 30, "it cheated") > 0
    assert recorded_conduct(store) == store.ladder.conduct()


async def test_summaries_of_earlier_matches_are_those_that_play_would_have_left(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, random.Random(6), 60)
    before = (store.ladder.conduct(), pairing(PairingHistory(*store.ladder.pasts(LADDER.pool))))
    with store.database.writing() as connection:
        ladder_summaries.write_again(connection)
    after = (store.ladder.conduct(), pairing(PairingHistory(*store.ladder.pasts(LADDER.pool))))
    assert before == after


@contextmanager
def counted_steps() -> Iterator[list[int]]:
    """Hundreds of steps that SQLite's machine takes meanwhile, on new connections."""
    steps = [0]

    def step() -> int:
        steps[0] += 1
        return 0

    def watch(connection: sqlite3.Connection, _record: object) -> None:
        connection.set_progress_handler(step, 100)

    sa.event.listen(sa.Engine, "connect", watch)
    try:
        yield steps
    finally:
        sa.event.remove(sa.Engine, "connect", watch)


async def steps_of_a_start(path: Path) -> int:
    """Of what a server does with its database before its first match."""
    stop = trio.Event()
    stop.set()
    with counted_steps() as steps, Store.open(path, for_play=True) as store:
        suspensions = Suspensions.recorded(3, store)
        async with open_journal(store) as journal:
            RosterPoller(store, None, suspensions).look()  # type: ignore[arg-type]
            host = ScriptedReferee(journal, [])
            await run_ladder(LADDER, host, journal, stop, suspensions=suspensions)
    return steps[0]


async def test_work_of_a_start_does_not_grow_with_the_matches_before(tmp_path: Path) -> None:
    path = tmp_path / "ladder.sqlite"
    with Store.open(path, for_play=True) as store:
        async with open_journal(store) as journal:
            await play(journal, random.Random(7), 40)
    await steps_of_a_start(path)  # ends what was in play
    few = await steps_of_a_start(path)
    multiply(path, 5_000)
    many = await steps_of_a_start(path)
    assert abs(many - few) <= 5, (few, many)


def multiply(path: Path, times: int) -> None:
    """Write the last ladder match again, so many times."""
    with closing(sqlite3.connect(path)) as connection:
        last = connection.execute("SELECT max(id) FROM matches WHERE reason = 'finished'")
        [number] = last.fetchone()
        numbered = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        for table, keys in (
            ("matches", {"id": "id + 1000 + i", "name": "'ladder-' || (1000 + i)"}),
            ("seats", {"match_id": "match_id + 1000 + i"}),
            ("rating_changes", {"id": "id + 1000 + 2 * i", "match_id": "match_id + 1000 + i"}),
        ):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(keys.get(column, column) for column in columns)
            own = "id" if table == "matches" else "match_id"
            connection.execute(
                f"{numbered} INSERT INTO {table} SELECT {values} "  # noqa: S608 - names of ours
                f"FROM {table}, n WHERE {own} = ?",
                (times, number),
            )
        connection.commit()
