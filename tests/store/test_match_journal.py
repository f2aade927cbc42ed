"""The journal on the store: what it has returned from is there, once, with its replay."""

from __future__ import annotations

import json

import pytest
import trio
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import StoreError
from polynya_common.process_report import ProcessReport
from polynya_contest.pairing.formats import Entrant
from polynya_contest.pairing.formats.drawn_once import round_robin
from polynya_contest.pairing.schedule import TournamentPlan, pairings_of
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.secret import Secret
from polynya_protocol.messages import OverReason, RatingChange
from polynya_server.records import MatchSetup, decode_replay
from polynya_store import Attempt, Store, StoreJournal, open_journal, schema
from polynya_store.ratings.recompute import Difference

ELO = RatingSettings(k_factor=32, k_first=32)
NAMES = ("ann", "bob", "cid")


def plan(seed: int = 1, bots: tuple[str, ...] = NAMES) -> TournamentPlan:
    entrants = tuple(Entrant(name) for name in bots)
    return TournamentPlan(
        name="cup",
        game="packeis",
        players=2,
        secret=Secret.of_seed(seed),
        configuration=json.dumps(
            {
                "bots": bots,
                "cycles": 1,
                "format": "round_robin",
                "game": "packeis",
                "players": 2,
                "rules": 3,
                "seed": seed,
                "start_rating": 1500.0,
            }
        ),
        entrants=entrants,
        pairings=tuple(
            pairings_of(
                round_robin(entrants, 2, 1).blocks_after(0), Secret.of_seed(seed).match_seed
            )
        ),
    )


async def ladder_match(journal: StoreJournal, number: int, *players: str) -> MatchSetup:
    return await journal.begin(Attempt(setup_of(f"ladder-{number}", *players), ELO))


class Cup:
    """A planned tournament, whose matches are played by hand."""

    def __init__(self, journal: StoreJournal) -> None:
        self.journal = journal
        self.id = 0

    async def plan(self) -> None:
        self.id = await self.journal.plan(plan())

    async def begin(self, number: int, attempt: int = 1) -> MatchSetup:
        found = next(
            one for one in await self.journal.open_pairings(self.id) if one.pairing.number == number
        )
        suffix = f".{attempt}" if attempt > 1 else ""
        setup = setup_of(f"cup-{number}{suffix}", *found.pairing.players, seed=found.pairing.seed)
        return await self.journal.begin(Attempt(setup, ELO, found.id, attempt))

    async def win(self, number: int, attempt: int = 1) -> list[RatingChange]:
        """Play a match that the first seat wins."""
        return list(await self.journal.finish(record_of(await self.begin(number, attempt), [1, 2])))

    async def left(self) -> list[int]:
        return [one.pairing.number for one in await self.journal.open_pairings(self.id)]


@pytest.fixture
async def cup(journal: StoreJournal) -> Cup:
    planned = Cup(journal)
    await planned.plan()
    return planned


def rated_order(store: Store) -> list[str]:
    with store.database.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT name FROM rating_changes JOIN matches ON matches.id = match_id "
            "WHERE rating_changes.seat = 0 ORDER BY rating_changes.id"
        )
        return [row.name for row in rows]


async def test_a_finished_match_is_there_with_its_replay(
    store: Store, journal: StoreJournal
) -> None:
    setup = await ladder_match(journal, 1, "ann", "bob")
    record = record_of(setup, [2, 1], forfeits={0: "timeout"})
    await journal.finish(record)
    row = store.matches.get("ladder-1")
    assert (row.reason, row.finished_ms, row.attempt) == ("finished", 2, 1)
    assert [(s.name, s.rank, s.score, s.forfeit) for s in row.seats] == [
        ("ann", 2, 8, "timeout"),
        ("bob", 1, 9, None),
    ]
    assert decode_replay(store.matches.replay("ladder-1")) == record


async def test_a_match_is_recorded_before_it_is_played(store: Store, journal: StoreJournal) -> None:
    await ladder_match(journal, 1, "ann", "bob")
    assert [(row.match, row.reason) for row in store.matches.find()] == [("ladder-1", None)]
    with pytest.raises(StoreError, match="match ladder-1 has no replay: it is in play"):
        store.matches.replay("ladder-1")


async def test_numbers_of_ladder_matches_go_on_from_those_that_are_there(
    journal: StoreJournal,
) -> None:
    await ladder_match(journal, 7, "ann", "bob")
    of_ladder = Attempt(setup_of("", "ann", "bob"), ELO, of_ladder=True)
    found = [await journal.begin(of_ladder) for _ in range(2)]
    assert [setup.match for setup in found] == ["ladder-8", "ladder-9"]
    assert len({setup.seed for setup in found}) == 2


async def test_a_match_begins_with_the_present_ratings(journal: StoreJournal) -> None:
    first = await ladder_match(journal, 1, "ann", "bob")
    await journal.finish(record_of(first, [1, 2]))
    second = await ladder_match(journal, 2, "bob", "cid")
    assert (first.ratings, second.ratings) == ((1500.0, 1500.0), (1484.0, 1500.0))


async def test_a_ladder_match_is_rated_when_it_ends(store: Store, journal: StoreJournal) -> None:
    changes = await journal.finish(record_of(await ladder_match(journal, 1, "ann", "bob"), [1, 2]))
    assert changes == [
        RatingChange(name="ann", before=1500.0, after=1516.0),
        RatingChange(name="bob", before=1500.0, after=1484.0),
    ]
    assert [(row.bot, row.rating, row.games) for row in store.ratings.find()] == [
        ("ann", 1516.0, 1),
        ("bob", 1484.0, 1),
    ]


async def test_games_and_numbers_of_players_have_ratings_of_their_own(
    store: Store, journal: StoreJournal
) -> None:
    setups = [
        setup_of("ladder-1", "ann", "bob"),
        setup_of("ladder-2", "ann", "bob", "cid"),
        setup_of("ladder-3", "ann", "bob", game="arktia"),
    ]
    for setup in setups:
        begun = await journal.begin(Attempt(setup, ELO))
        await journal.finish(record_of(begun, list(range(1, len(setup.players) + 1))))
    pools = [
        (row.game, row.players, row.rating) for row in store.ratings.find() if row.bot == "ann"
    ]
    assert pools == [("arktia", 2, 1516.0), ("packeis", 2, 1516.0), ("packeis", 3, 1516.0)]


REASONS: list[OverReason] = ["aborted", "annulled"]


@pytest.mark.parametrize("reason", REASONS)
async def test_a_match_without_a_result_is_kept_and_not_rated(
    store: Store, journal: StoreJournal, reason: OverReason
) -> None:
    setup = await ladder_match(journal, 1, "ann", "bob")
    record = record_of(setup, None, reason=reason)
    assert await journal.finish(record) == []
    assert (store.matches.get("ladder-1").reason, store.ratings.find()) == (reason, [])
    assert decode_replay(store.matches.replay("ladder-1")) == record


async def test_a_result_is_taken_once(store: Store, journal: StoreJournal) -> None:
    record = record_of(await ladder_match(journal, 1, "ann", "bob"), [1, 2])
    await journal.finish(record)
    with pytest.raises(StoreError, match="match ladder-1 is not in play"):
        await journal.finish(record)
    assert [row.games for row in store.ratings.find()] == [1, 1]


async def test_tournament_matches_are_rated_in_the_order_of_the_schedule(
    store: Store, cup: Cup
) -> None:
    setups = [await cup.begin(number) for number in (1, 2, 3)]
    third, second, first = [
        await cup.journal.finish(record_of(setup, [1, 2])) for setup in reversed(setups)
    ]
    assert (third, second, len(first)) == ([], [], 2)
    assert rated_order(store) == ["cup-1", "cup-2", "cup-3"]


async def test_an_attempt_without_a_result_holds_later_ratings_back(store: Store, cup: Cup) -> None:
    await cup.journal.finish(record_of(await cup.begin(1), None, reason="annulled"))
    await cup.win(2)
    assert rated_order(store) == []
    await cup.win(1, attempt=2)
    assert rated_order(store) == ["cup-1.2", "cup-2"]


async def test_a_pairing_that_is_given_up_lets_later_ones_be_rated(store: Store, cup: Cup) -> None:
    (first, *_) = await cup.journal.open_pairings(cup.id)
    await cup.win(2)
    await cup.journal.abandon(cup.id, [first.id], "bot bob is ill")
    assert rated_order(store) == ["cup-2"]
    (unplayed,) = store.tournaments.standings("cup").unplayed
    assert str(unplayed) == "1 not played: bot bob is ill"


async def test_a_pairing_that_was_given_up_is_played_and_rated_by_the_next_run(
    store: Store, cup: Cup
) -> None:
    pairings = await cup.journal.open_pairings(cup.id)
    await cup.win(2)
    await cup.journal.abandon(cup.id, [pairings[0].id], "bot bob is ill")
    assert len(await cup.win(1)) == 2
    assert rated_order(store) == ["cup-2", "cup-1"]
    assert (await cup.left(), store.ratings.differences()) == ([3, 4, 5, 6], [])


async def test_a_tournament_is_planned_once(cup: Cup) -> None:
    await cup.win(1)
    assert (await cup.journal.plan(plan()), await cup.left()) == (cup.id, [2, 3, 4, 5, 6])


async def test_another_description_of_the_same_name_is_refused(cup: Cup) -> None:
    sentence = "a tournament cup with another description .other seed.; give this one another name"
    with pytest.raises(StoreError, match=sentence):
        await cup.journal.plan(plan(seed=2))


async def test_standings_count_what_has_a_result(store: Store, cup: Cup) -> None:
    await cup.win(1)
    await cup.journal.finish(record_of(await cup.begin(2), None, reason="aborted"))
    table = store.tournaments.standings("cup")
    assert (table.played, table.scheduled, table.complete) == (1, 6, False)
    assert [(row.name, row.points, row.games) for row in table.rows] == [
        ("bob", 1.0, 1),
        ("cid", 0.0, 1),
        ("ann", 0.0, 0),
    ]


async def test_an_unknown_tournament_is_refused_with_those_that_there_are(
    store: Store, cup: Cup
) -> None:
    await cup.win(1)
    with pytest.raises(StoreError, match="holds no tournament pot; it holds cup"):
        store.tournaments.standings("pot")


async def test_matches_in_play_at_a_kill_are_void(
    address: DatabaseAddress, store: Store, journal: StoreJournal
) -> None:
    await ladder_match(journal, 1, "ann", "bob")
    store.close()
    with Store.open(address, for_play=True) as again:
        assert again.voided_matches == 1
        assert again.matches.get("ladder-1").reason == "aborted"
        with pytest.raises(StoreError, match="has no replay: the server was stopped before"):
            again.matches.replay("ladder-1")


async def test_names_are_registered_once(journal: StoreJournal) -> None:
    first, second = b"1" * 32, b"2" * 32
    assert [await journal.register("ann", token) for token in (first, second)] == [None, "ann"]
    assert journal.token_hashes() == {"ann": first}


async def test_a_bot_that_only_played_can_still_be_registered(journal: StoreJournal) -> None:
    await ladder_match(journal, 1, "ann", "bob")
    assert await journal.register("ann", b"1" * 32) is None


async def test_ratings_are_the_same_when_computed_again(store: Store, cup: Cup) -> None:
    for number in (2, 1, 6, 4, 3, 5):
        await cup.win(number)
    before = store.ratings.find()
    assert store.ratings.differences() == []
    assert (
        store.ratings.recompute().changes,
        store.ratings.find(),
        store.ratings.differences(),
    ) == (
        12,
        before,
        [],
    )


async def test_a_changed_rating_is_found_and_put_right(store: Store, journal: StoreJournal) -> None:
    await journal.finish(record_of(await ladder_match(journal, 1, "ann", "bob"), [1, 2]))
    with store.database.writing() as connection:
        connection.execute(
            schema.rating_changes.update()
            .values(after=1.0)
            .where(schema.rating_changes.c.seat == 0)
        )
        connection.execute(
            schema.ratings.update().values(rating=2.0).where(schema.ratings.c.rating < 1500)
        )
    assert store.ratings.differences() == [
        Difference(
            "ladder-1", "ann", "packeis", 2, "elo", "ultrabullet", "", None, "rating", 1.0, 1516.0
        ),
        Difference(
            None, "bob", "packeis", 2, "elo", "ultrabullet", "", None, "rating", 2.0, 1484.0
        ),
    ]
    store.ratings.recompute()
    assert store.ratings.differences() == []


async def test_a_result_is_recorded_even_if_its_rating_cannot_be_computed(
    store: Store, journal: StoreJournal
) -> None:
    too_far = RatingSettings(system="openskill", anchors={"ann": 10_000.0})
    setup = await journal.begin(Attempt(setup_of("ladder-1", "ann", "bob"), too_far))
    assert list(await journal.finish(record_of(setup, [2, 1]))) == []
    assert decode_replay(store.matches.replay("ladder-1")).setup.match == "ladder-1"
    assert store.ratings.differences() == []


async def test_a_rating_that_could_not_be_computed_is_made_up_when_ratings_are_computed_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overflow(*_: object) -> None:
        raise OverflowError("math range error")

    warnings: list[str] = []
    async with open_journal(store, warnings.append) as journal:
        setup = await ladder_match(journal, 1, "ann", "bob")
        with monkeypatch.context() as patched:
            patched.setattr("polynya_contest.ratings.book.rate_match", overflow)
            await journal.finish(record_of(setup, [1, 2]))
    assert warnings == [
        "the rating of ladder-1 cannot be computed: its result is recorded, and "
        "'polynya ratings recompute' makes its rating up"
    ]
    assert store.ratings.find() == []
    assert store.ratings.recompute() == (2, 1)
    assert [row.bot for row in store.ratings.find()] == ["ann", "bob"]


async def test_reports_of_processes_are_kept_by_match_and_seat(
    store: Store, journal: StoreJournal
) -> None:
    await ladder_match(journal, 1, "ann", "bob")
    await ladder_match(journal, 2, "ann", "bob")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.note_processes, "ladder-1", {1: ProcessReport(code=1)})
        nursery.start_soon(
            journal.note_processes, "ladder-2", {0: ProcessReport(code=2), 1: ProcessReport(code=3)}
        )
        nursery.start_soon(journal.note_processes, "no such match", {0: ProcessReport(code=4)})
    found = store.processes.of_match
    assert [(row.seat, row.report.code) for row in found("ladder-1")] == [(1, 1)]
    assert [(row.seat, row.report.code) for row in found("ladder-2")] == [(0, 2), (1, 3)]
