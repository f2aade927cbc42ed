"""The ladder on a scripted referee: plays on and on, rated, and goes on after a restart."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
import trio
from tests.scripted.scripted_referee import (
    Script,
    ScriptedReferee,
    first_seat_wins,
    record_of,
    setup_of,
)
from tests.tournaments.ladder.test_slot_time import match_of

from polynya_app.application import run
from polynya_common.reasons import Cause
from polynya_contest.ratings.model import RatingSettings, Strength
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Attempt, Pool, Store, StoreJournal, open_journal
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder
from polynya_tournaments.ladder.matchmaking import Choice, Matchmaker
from polynya_tournaments.ladder.pairing_history import KnownRatings
from polynya_tournaments.ladder.present_bots import FreeBots
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.tournament.backoff import AnnulmentBackoff
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress

SETTINGS = LadderSettings(game="packeis", clock=Clock(move_ms=100), seed=3)


class Until(Reporter):
    """Stops a ladder after so many matches."""

    def __init__(self, matches: int) -> None:
        self.stop = trio.Event()
        self.warnings: list[str] = []
        self.reasons: list[tuple[str, str]] = []
        self._left = matches

    def match_begins(self, match: str, players: Sequence[str], why: Cause) -> None:  # noqa: ARG002
        self.reasons.append((match, str(why)))

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self._left -= 1
        if self._left == 0:
            self.stop.set()

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


async def ladder(
    journal: StoreJournal,
    names: Sequence[str],
    matches: int,
    script: Script = first_seat_wins,
    settings: LadderSettings = SETTINGS,
) -> tuple[list[MatchSetup], Until]:
    referee = ScriptedReferee(journal, names, script)
    until = Until(matches)
    with trio.fail_after(60):
        await run_ladder(settings, referee, journal, until.stop, until)
    return referee.played, until


async def test_a_ladder_plays_rated_matches(store: Store, journal: StoreJournal) -> None:
    played, _ = await ladder(journal, ["ann", "bob", "cid"], 6)
    assert [setup.match for setup in played] == [f"ladder-{n}" for n in range(1, len(played) + 1)]
    assert sum(row.games for row in store.ratings.find()) == 2 * len(played)


async def test_matches_that_are_in_play_are_waited_for(store: Store, journal: StoreJournal) -> None:
    await ladder(journal, ["ann", "bob", "cid", "dot"], 5)
    assert {row.reason for row in store.matches.find()} == {"finished"}


async def test_a_ladder_goes_on_where_it_stopped(store: Store, journal: StoreJournal) -> None:
    before, _ = await ladder(journal, ["ann", "bob"], 3)
    after, _ = await ladder(journal, ["ann", "bob", "cid"], 3)
    assert after[0].match == f"ladder-{len(before) + 1}"
    assert "cid" in after[0].players
    assert len(store.matches.find()) == len(before) + len(after)


async def test_matches_of_people_are_not_the_ladders(store: Store, journal: StoreJournal) -> None:
    before, _ = await ladder(journal, ["ann", "bob"], 3)
    pool = Pool("packeis", 2, "elo", "ultrabullet")
    _, number = store.ladder.pasts(pool)
    match = setup_of("play-3fa9c0112233", "ann", "person-ada")
    await journal.begin(Attempt(match, RatingSettings(), guests=frozenset({"person-ada"})))
    assert number == store.ladder.pasts(pool)[1]
    after, _ = await ladder(journal, ["ann", "bob"], 3)
    assert after[0].match == f"ladder-{len(before) + 1}"


async def test_bot_does_not_wait_for_one_taken_by_a_person(
    store: Store, journal: StoreJournal
) -> None:
    referee = ScriptedReferee(journal, ["ann", "bob", "cid"])
    taken: list[str] = []

    class Person(Until):
        def match_begins(self, match: str, players: Sequence[str], why: Cause) -> None:
            super().match_begins(match, players, why)
            if not taken:
                taken.append(players[0])
                referee.connected[players[0]].in_play = 1

    until = Person(3)
    with trio.fail_after(60):
        await run_ladder(SETTINGS, referee, journal, until.stop, until)
    others = {"ann", "bob", "cid"} - set(taken)
    assert {name for setup in referee.played for name in setup.players} == others
    broken_off = store.matches.get("ladder-1")
    assert (broken_off.reason, str(broken_off.detail)) == (
        "aborted",
        f"{taken[0]} was in another match already",
    )


async def test_no_two_matches_share_a_set_up(journal: StoreJournal) -> None:
    played, _ = await ladder(journal, ["ann", "bob", "cid"], 8)
    assert len({setup.seed for setup in played}) == len(played)


async def test_a_ladder_of_four_players(store: Store, journal: StoreJournal) -> None:
    settings = LadderSettings(game="packeis", clock=Clock(move_ms=100), players=4)
    await ladder(journal, ["ann", "bob", "cid", "dot", "eve"], 5, settings=settings)
    assert {(row.game, row.players) for row in store.ratings.find()} == {("packeis", 4)}


async def test_a_bot_rests_after_a_match_that_ended_by_its_fault(journal: StoreJournal) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        if "bob" not in setup.players:
            return first_seat_wins(setup)
        seat = setup.players.index("bob")
        return record_of(setup, None, reason="aborted", forfeits={seat: "not_ready"})

    played, _ = await ladder(journal, ["ann", "bob", "cid"], 30, script)
    assert Counter(name for setup in played for name in setup.players)["bob"] == 1


async def test_rest_outlasts_a_restart_with_a_notice_to_the_bot(
    store: Store, journal: StoreJournal
) -> None:
    now_ms = time.time_ns() // 1_000_000
    for number in range(1, 5):
        setup = setup_of(f"ladder-{number}", "ann", "bob")
        await journal.begin(Attempt(setup, SETTINGS.rating))
        record = record_of(setup, [1, 2], reason="forfeit", forfeits={1: "timeout"})
        await journal.finish(msgspec.structs.replace(record, finished_ms=now_ms))
    played, _ = await ladder(journal, ["ann", "bob", "cid"], 10)
    assert {name for setup in played for name in setup.players} == {"ann", "cid"}
    rests = Suspensions.recorded(5, store).resting(now_ms)
    assert rests == {"bob": 16.0}


async def test_bot_gets_notices_of_long_rest_and_suspension(journal: StoreJournal) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        if "bob" not in setup.players:
            return first_seat_wins(setup)
        seat = setup.players.index("bob")
        return record_of(setup, None, reason="aborted", forfeits={seat: "not_ready"})

    for number in range(1, 4):
        setup = setup_of(f"ladder-{number}", "ann", "bob")
        await journal.begin(Attempt(setup, SETTINGS.rating))
        await journal.finish(script(setup))
    told = []
    for _ in range(2):
        referee, until = ScriptedReferee(journal, ["ann", "bob", "cid"], script), Until(10)
        with trio.fail_after(60):
            await run_ladder(SETTINGS, referee, journal, until.stop, until)
        told.append(referee.notices)
    # The record of a scripted match says that it ended long ago: the rest is over.
    assert told == [[("bob", "resting")], [("bob", "suspended")]]


async def test_bot_without_a_game_here_gets_a_notice(journal: StoreJournal) -> None:
    referee, until = ScriptedReferee(journal, ["ann", "bob", "cid"]), Until(3)
    referee.connected["cid"].games = frozenset({"arktia"})
    with trio.fail_after(60):
        await run_ladder(SETTINGS, referee, journal, until.stop, until)
    assert referee.notices == [("cid", "game_not_played")]


async def test_a_new_bot_has_one_match_at_a_time_until_it_has_finished_one(
    journal: StoreJournal,
) -> None:
    most: Counter[bool] = Counter()
    until = Until(60)
    finished: set[str] = set()
    in_play: Counter[str] = Counter()

    def script(setup: MatchSetup) -> MatchRecord:
        finished.update(setup.players)
        in_play.subtract(setup.players)
        return first_seat_wins(setup)

    class Watching(ScriptedReferee):
        async def play(self, setup: MatchSetup) -> MatchRecord:
            in_play.update(setup.players)
            for name in setup.players:
                most[name in finished] = max(most[name in finished], in_play[name])
            return await super().play(setup)

    referee = Watching(journal, ["hog", "ann", "bob", "cid", "dot"], script)
    for bot in referee.connected.values():
        bot.concurrency = 8
    with trio.fail_after(60):
        await run_ladder(SETTINGS, referee, journal, until.stop, until)
    assert most[False] == 1
    assert most[True] > 1


async def test_each_match_is_recorded_with_the_reason_for_its_pairing(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    played, until = await ladder(journal, ["ann", "bob", "cid"], 6)
    rows = store.matches.find()
    assert [(row.match, str(row.why)) for row in rows] == until.reasons
    assert len(rows) == len(played)
    assert all(row.why and str(row.why).count(" ") > 5 for row in rows)
    assert run(["replay", "show", "ladder-1", "--database", str(store.address)]) == 0
    assert f"paired: {rows[0].why}\n" in capsys.readouterr().out


async def test_a_bot_rests_after_each_match(journal: StoreJournal) -> None:
    begun: dict[str, list[float]] = {"ann": [], "bob": [], "cid": []}

    def script(setup: MatchSetup) -> MatchRecord:
        for name in setup.players:
            begun[name].append(trio.current_time())
        return first_seat_wins(setup)

    settings = LadderSettings(game="packeis", clock=Clock(move_ms=100), pace_ms=200)
    await ladder(journal, ["ann", "bob", "cid"], 4, script, settings)
    for times in begun.values():
        assert all(later - earlier >= 0.2 for earlier, later in itertools.pairwise(times))


async def test_slow_bots_do_not_keep_the_others_from_playing(journal: StoreJournal) -> None:
    names, slow = ["ann", "bob", "cid", "dot"], "slow"

    def script(setup: MatchSetup) -> MatchRecord:
        thought_ms = {name: 300_000 if name == slow else 500 for name in setup.players}
        return msgspec.structs.replace(match_of(thought_ms), setup=setup)

    played, _ = await ladder(journal, [*names, slow], 60, script)
    assert sum(slow in setup.players for setup in played) <= 3


async def test_bots_rest_after_a_match_that_the_server_annulled(journal: StoreJournal) -> None:
    begun: list[float] = []

    def script(setup: MatchSetup) -> MatchRecord:
        begun.append(trio.current_time())
        if len(begun) == 1:
            return record_of(setup, None, reason="annulled", server_fault=True)
        return first_seat_wins(setup)

    await ladder(journal, ["ann", "bob"], 2, script)
    assert begun[1] - begun[0] >= AnnulmentBackoff().annulled("ann")


@pytest.mark.parametrize("players", [3, 4])
async def test_a_ladder_rated_by_openskill(
    players: int, store: Store, journal: StoreJournal
) -> None:
    settings = LadderSettings(
        game="packeis",
        clock=Clock(move_ms=100),
        players=players,
        rating=RatingSettings(system="openskill", anchors={"ann": 25.0}),
    )
    await ladder(journal, ["ann", "bob", "cid", "dot", "eve"], 12, settings=settings)
    rows = store.ratings.find()
    assert {(row.system, row.players) for row in rows} == {("openskill", players)}
    assert [row.ordinal for row in rows] == sorted((row.ordinal for row in rows), reverse=True)
    assert [row.rating for row in rows if row.anchor] == [25.0]
    assert store.ratings.differences() == []


async def test_the_same_history_and_seed_give_the_same_pairings(tmp_path: Path) -> None:
    pairings = []
    for name in ("one", "other"):
        with Store.open(tmp_path / f"{name}.sqlite", for_play=True) as store:
            async with open_journal(store) as journal:
                settings = LadderSettings("packeis", Clock(move_ms=100), seed=5, concurrency=1)
                played, _ = await ladder(journal, ["ann", "bob", "cid"], 12, settings=settings)
        pairings.append([(setup.players, setup.seed) for setup in played[:12]])
    assert pairings[0] == pairings[1]


@pytest.mark.parametrize("players", [2, 3])
async def test_a_ladder_knows_the_ratings_that_are_recorded(
    players: int, store: Store, journal: StoreJournal
) -> None:
    rating = RatingSettings(anchors={"ann": 1600.0})
    clock = Clock(move_ms=100)
    settings = LadderSettings("packeis", clock, players=players, rating=rating)
    pool = settings.pool
    warnings: list[str] = []
    known = KnownRatings(store, pool, rating, warnings.append)
    with journal.watching_matches(known.note):
        await ladder(journal, ["ann", "bob", "cid", "dot"], 12, settings=settings)
        recorded = KnownRatings(store, pool, rating, warnings.append).strengths
        assert known.strengths == recorded
        assert set(recorded) == {"ann", "bob", "cid", "dot"}
        store.interventions.annul("bob", 0, "the machine was late")
        await ladder(journal, ["ann", "cid", "dot"], 1, settings=settings)
        await known.refresh()
    assert known.strengths == KnownRatings(store, pool, rating, warnings.append).strengths
    assert "bob" not in known.strengths
    assert warnings == []


async def test_after_an_annulment_all_bots_are_paired_by_their_new_ratings(
    store: Store, journal: StoreJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ladder(journal, ["ann", "bob", "cid"], 6)
    known: list[Mapping[str, Strength]] = []
    choose = Matchmaker.next_match

    def next_match(
        self: Matchmaker, free: FreeBots, others: int, strengths: Mapping[str, Strength]
    ) -> Choice | None:
        choice = choose(self, free, others, strengths)
        if choice is not None:
            known.append(dict(strengths))
        return choice

    def script(setup: MatchSetup) -> MatchRecord:
        for name in ("ann", "bob", "cid"):
            store.interventions.annul(name, 0, "the machine was late")
        return first_seat_wins(setup)

    monkeypatch.setattr(Matchmaker, "next_match", next_match)
    played, _ = await ladder(journal, ["ann", "bob", "cid"], 2, script)
    absent = {"ann", "bob", "cid"}.difference(played[0].players).pop()
    assert [absent in strengths for strengths in known[:2]] == [True, False]
