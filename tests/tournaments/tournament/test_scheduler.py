"""The scheduler: every pairing gets one result, whatever happens on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
import sqlalchemy as sa
import trio
from msgspec.structs import replace
from tests.scripted.scripted_referee import (
    Script,
    ScriptedBlocks,
    ScriptedReferee,
    first_seat_wins,
    record_of,
    setup_of,
)

from polynya_common.reasons import Reason
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
    plan_of,
)
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Attempt, OpenPairing, Store, StoreJournal
from polynya_tournaments.tournament.backoff import MAX_ANNULLED, AnnulmentBackoff
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.scheduler import Scheduler

NAMES = ("ann", "bob", "cid", "dot")
CUP = TournamentConfiguration(
    name="cup",
    game="packeis",
    bots=[BotConfiguration(name=name, external=True) for name in NAMES],
    clock=Clock(move_ms=100),
    concurrency=2,
)
ALL = 12
RATING = RatingSettings()


class Notes(Reporter):
    """Notes what is reported."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.absent: list[list[str]] = []
        self.progress: list[RunProgress] = []
        self.on_waiting: Callable[[], None] = lambda: None
        self.on_played: Callable[[int], None] = lambda _count: None

    def waiting(self, names: Sequence[str]) -> None:
        self.absent.append(list(names))
        self.on_waiting()

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self.progress.append(progress)
        self.on_played(len(self.progress))

    def walkovers(self, progress: RunProgress) -> None:
        self.progress.append(progress)

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


class OneRound:
    """A tournament that is drawn; no round follows.

    Attributes:
        open_at_draw: the first match without a result whenever more were asked for.
    """

    undrawn = 0

    def __init__(
        self,
        journal: StoreJournal,
        tournament_id: int,
        open_pairings: list[OpenPairing],
        decides: Callable[[str, MatchRecord], bool] | None,
    ) -> None:
        self.tournament_id = tournament_id
        self.open_pairings = open_pairings
        self.played_before = 0
        self.open_at_draw: list[int | None] = []
        self._journal = journal
        self._decides = decides

    @property
    def is_judged(self) -> bool:
        return self._decides is not None

    async def next(self) -> list[OpenPairing]:
        self.open_at_draw.append(self._journal.store.tournaments.progress("cup").first_open)
        return []

    def judge(self, block: str, record: MatchRecord) -> bool:
        return self._decides is not None and self._decides(block, record)

    async def drop(self) -> int:
        return 0


class Hall:
    """A planned tournament with its scheduler and a scripted referee."""

    def __init__(
        self,
        journal: StoreJournal,
        script: Script = first_seat_wins,
        names: Sequence[str] = NAMES,
        configuration: TournamentConfiguration = CUP,
        backoff: AnnulmentBackoff | None = None,
    ) -> None:
        self.backoff = backoff or AnnulmentBackoff(first_wait_s=0)
        self.configuration = configuration
        self.journal = journal
        self.referee = ScriptedReferee(journal, names, script)
        self.notes = Notes()
        self.rounds: OneRound | None = None
        self.blocks = ScriptedBlocks(self.referee)

    async def scheduler(self, judge: Callable[[str, MatchRecord], bool] | None = None) -> Scheduler:
        tournament_id = await self.journal.plan(plan_of(self.configuration))
        left = await self.journal.open_pairings(tournament_id)
        self.rounds = OneRound(self.journal, tournament_id, left, judge)
        return Scheduler(
            self.configuration,
            self.rounds,
            self.blocks,
            self.journal,
            self.notes,
            backoff=self.backoff,
        )

    async def run(self) -> None:
        await (await self.scheduler()).run()

    def played(self) -> list[str]:
        return [setup.match for setup in self.referee.played]


def faulty(attempts: int, failure: Callable[[MatchSetup], MatchRecord]) -> Script:
    """A script in which match 3 ends by ``failure`` so often before it gets its result."""
    left = [attempts]

    def script(setup: MatchSetup) -> MatchRecord:
        if setup.match.startswith("cup-3") and left[0] > 0:
            left[0] -= 1
            return failure(setup)
        return first_seat_wins(setup)

    return script


def annulled(setup: MatchSetup) -> MatchRecord:
    return record_of(setup, None, reason="annulled", server_fault=True)


def failed_rules(setup: MatchSetup) -> MatchRecord:
    why = Reason.of("rules_failed", turn=7, why="the process has ended")
    return replace(annulled(setup), detail=why)


def aborted(setup: MatchSetup) -> MatchRecord:
    return record_of(setup, None, reason="aborted")


def broken(_setup: MatchSetup) -> MatchRecord:
    raise RuntimeError("a bug")


async def test_the_next_match_begins_in_the_transaction_that_ends_the_last(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, configuration=msgspec.structs.replace(CUP, concurrency=1))
    scheduler = await hall.scheduler()
    commits: list[sa.Connection] = []
    sa.event.listen(store.database.backend.engine, "commit", commits.append)
    await scheduler.run()
    assert (len(hall.played()), len(commits)) == (ALL, ALL + 1)


async def test_no_match_begins_before_the_last_one_has_been_judged(journal: StoreJournal) -> None:
    hall = Hall(journal, configuration=msgspec.structs.replace(CUP, concurrency=1))
    scheduler = await hall.scheduler(judge=lambda _block, _record: True)
    await scheduler.run()
    assert len(hall.played()) == 1


async def test_every_pairing_is_played_once(store: Store, journal: StoreJournal) -> None:
    hall = Hall(journal)
    await hall.run()
    assert sorted(hall.played()) == sorted(f"cup-{number}" for number in range(1, ALL + 1))
    assert store.tournaments.standings("cup").complete


async def test_progress_counts_to_the_end(journal: StoreJournal) -> None:
    hall = Hall(journal)
    await hall.run()
    assert [progress.played for progress in hall.notes.progress] == list(range(1, ALL + 1))
    assert {progress.scheduled for progress in hall.notes.progress} == {ALL}


async def test_a_bot_plays_no_more_matches_at_once_than_it_says(journal: StoreJournal) -> None:
    hall = Hall(journal, configuration=msgspec.structs.replace(CUP, concurrency=10))
    await hall.run()
    assert hall.referee.most_at_once == 2


async def test_no_more_matches_are_played_at_once_than_the_host_says(journal: StoreJournal) -> None:
    hall = Hall(journal, configuration=msgspec.structs.replace(CUP, concurrency=1))
    await hall.run()
    assert hall.referee.most_at_once == 1


async def test_an_annulled_match_is_played_again_with_the_same_seed(journal: StoreJournal) -> None:
    hall = Hall(journal, faulty(2, annulled))
    await hall.run()
    attempts = [setup for setup in hall.referee.played if setup.match.startswith("cup-3")]
    assert [setup.match for setup in attempts] == ["cup-3", "cup-3.2", "cup-3.3"]
    assert len({(setup.seed, setup.players) for setup in attempts}) == 1


async def test_a_match_is_given_up_after_so_many_attempts(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, faulty(99, aborted))
    await hall.run()
    table = store.tournaments.standings("cup")
    assert (table.played, table.scheduled) == (ALL - 1, ALL)
    assert tuple(map(str, table.unplayed)) == (
        "1 not played: 3 attempts ended without a result, the last was aborted",
    )


async def test_the_next_run_tries_again_what_was_given_up(
    store: Store, journal: StoreJournal
) -> None:
    await Hall(journal, faulty(99, aborted)).run()
    again = Hall(journal)
    await again.run()
    assert again.played() == ["cup-3.4"]
    assert store.tournaments.standings("cup").complete


async def test_annulled_matches_are_no_attempts(store: Store, journal: StoreJournal) -> None:
    hall = Hall(journal, faulty(MAX_ANNULLED - 1, annulled))
    await hall.run()
    assert store.tournaments.standings("cup").complete
    assert hall.played().count(f"cup-3.{MAX_ANNULLED}") == 1
    assert len(hall.notes.warnings) == MAX_ANNULLED - 1


async def test_a_match_that_is_annulled_again_and_again_is_given_up_with_the_remedy(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, faulty(99, annulled))
    await hall.run()
    table = store.tournaments.standings("cup")
    assert (table.played, table.scheduled) == (ALL - 1, ALL)
    assert tuple(map(str, table.unplayed)) == (
        "1 not played: 12 attempts in a row were annulled, the server itself was late: give more "
        "time for a turn, or run less on this machine",
    )


async def test_the_players_of_an_annulled_match_rest_before_it_is_played_again(
    journal: StoreJournal,
) -> None:
    begun: dict[str, float] = {}

    def script(setup: MatchSetup) -> MatchRecord:
        begun[setup.match] = trio.current_time()
        return annulled(setup) if setup.match == "cup-3" else first_seat_wins(setup)

    hall = Hall(journal, script, backoff=AnnulmentBackoff(first_wait_s=0.2))
    await hall.run()
    assert begun["cup-3.2"] - begun["cup-3"] >= 0.2


async def test_a_bug_in_one_match_does_not_end_the_others(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, faulty(1, broken))
    await hall.run()
    assert hall.notes.warnings == [
        "match cup-3: an error of the server broke it off: RuntimeError('a bug')"
    ]
    assert store.matches.get("cup-3").reason == "aborted"
    assert store.tournaments.standings("cup").complete


async def test_matches_wait_for_bots_that_are_not_there(journal: StoreJournal) -> None:
    hall = Hall(journal, names=NAMES[:3])
    hall.notes.on_waiting = lambda: (
        None if "dot" in hall.referee.connected else hall.referee.connect("dot")
    )
    await hall.run()
    assert hall.notes.absent == [["dot"], []]
    assert len(hall.played()) == ALL


async def test_a_bot_that_does_not_play_the_game_gets_no_match(journal: StoreJournal) -> None:
    hall = Hall(journal)
    hall.referee.connected["dot"].games = frozenset({"arktia"})
    scheduler = await hall.scheduler()
    hall.notes.on_played = lambda count: scheduler.stop() if count == 6 else None
    await scheduler.run()
    assert "dot" not in {name for setup in hall.referee.played for name in setup.players}
    assert hall.notes.warnings == [
        "bot dot does not play packeis: its hello names arktia; its matches wait until it "
        "connects with this one"
    ]


async def test_hosted_bot_without_the_game_is_not_waited_for(
    store: Store, journal: StoreJournal
) -> None:
    bots = [BotConfiguration(name=name, builtin="greedy") for name in NAMES]
    hall = Hall(journal, configuration=msgspec.structs.replace(CUP, bots=bots))
    hall.referee.connected["dot"].games = frozenset({"arktia"})
    await hall.run()
    assert tuple(map(str, store.tournaments.standings("cup").unplayed)) == (
        "6 not played: bot dot does not play packeis: its hello names arktia",
    )
    assert hall.notes.warnings == [
        "bot dot does not play packeis: its hello names arktia; its matches are not played"
    ]


def missing_of(store: Store) -> list[dict[str, str]]:
    return [
        dict(one.missing) for one in store.tournaments.pairings("cup") if one.state == "walkover"
    ]


PATIENT_1_S = msgspec.structs.replace(CUP, absent_after_s=1)


async def test_a_bot_that_does_not_come_loses_when_the_others_have_played(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, names=NAMES[:3], configuration=PATIENT_1_S)
    began = trio.current_time()
    await hall.run()
    assert 1 <= trio.current_time() - began < 2  # once, not for each of its six matches
    assert missing_of(store) == [{"dot": "absent"}] * 6
    table = store.tournaments.standings("cup")
    assert (table.complete, len(hall.played())) == (True, 6)
    assert {row.name: row.points for row in table.rows if row.name == "dot"} == {"dot": 0}
    assert sum(row.points for row in table.rows) == 12
    assert tuple(map(str, table.unplayed)) == ("6 not played: bot dot was not connected for 1 s",)


async def test_hosted_bot_is_started_before_an_absence_gives_it_a_point(
    store: Store, journal: StoreJournal
) -> None:
    bots = [
        BotConfiguration(name="ann", builtin="greedy"),
        *(BotConfiguration(name=name, external=True) for name in ("bob", "cid")),
    ]
    hall = Hall(journal, names=["ann"], configuration=replace(PATIENT_1_S, bots=bots))
    scheduler = await hall.scheduler()
    hall.blocks.broken = {"ann"}
    hall.blocks.give_up = lambda name: scheduler.set_aside(name, "it does not start")
    await scheduler.run()
    assert [row.points for row in store.tournaments.standings("cup").rows] == [0, 0, 0]


async def test_bot_that_comes_when_it_is_started_gets_the_points_of_the_absent(
    store: Store, journal: StoreJournal
) -> None:
    bots = [
        BotConfiguration(name="ann", builtin="greedy"),
        BotConfiguration(name="bob", external=True),
    ]
    hall = Hall(journal, names=["ann"], configuration=replace(PATIENT_1_S, bots=bots))
    await hall.run()
    points = {row.name: row.points for row in store.tournaments.standings("cup").rows}
    assert points == {"ann": 2, "bob": 0}


async def test_progress_does_not_wait_for_walkovers(journal: StoreJournal) -> None:
    hall = Hall(journal, names=NAMES[:3], configuration=PATIENT_1_S)
    await hall.run()
    last = hall.notes.progress[-1]
    assert (last.played, last.scheduled) == (6, 6)


async def test_external_bot_of_another_game_loses_with_the_game_that_it_declared(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, configuration=PATIENT_1_S)
    hall.referee.connected["dot"].games = frozenset({"arktia"})
    await hall.run()
    assert missing_of(store) == [{"dot": "absent"}] * 6
    assert tuple(map(str, store.tournaments.standings("cup").unplayed)) == (
        "6 not played: bot dot does not play packeis: its hello names arktia",
    )


async def test_bots_that_both_do_not_come_get_nothing(store: Store, journal: StoreJournal) -> None:
    hall = Hall(journal, names=NAMES[:2], configuration=PATIENT_1_S)
    await hall.run()
    both = {"cid": "absent", "dot": "absent"}
    assert missing_of(store).count(both) == 2
    assert {row.points for row in store.tournaments.standings("cup").rows if row.name in both} == {
        0
    }


async def test_a_bot_that_comes_back_plays_what_is_undecided(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, names=NAMES[:3])
    hall.notes.on_played = lambda count: hall.referee.connect("dot") if count == 6 else None
    await hall.run()
    assert (missing_of(store), len(hall.played())) == ([], ALL)


async def test_absent_open_leaves_the_matches_to_the_next_run(
    store: Store, journal: StoreJournal
) -> None:
    configuration = msgspec.structs.replace(CUP, absent="open")
    hall = Hall(journal, configuration=configuration)
    scheduler = await hall.scheduler()
    scheduler.set_aside("dot", "bot dot ended by itself")
    await scheduler.run()
    assert (missing_of(store), store.tournaments.standings("cup").complete) == ([], False)


async def test_a_match_that_a_bot_was_never_ready_for_is_lost_by_it(
    store: Store, journal: StoreJournal
) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        if setup.match.partition(".")[0] != "cup-3":
            return first_seat_wins(setup)
        return record_of(setup, None, reason="aborted", forfeits={1: "not_ready"})

    hall = Hall(journal, script, configuration=msgspec.structs.replace(CUP, attempts=2))
    await hall.run()
    dodger = store.tournaments.pairings("cup")[2].players[1]
    assert missing_of(store) == [{dodger: "not_ready"}]
    rows = {row.name: row for row in store.tournaments.standings("cup").rows}
    assert rows[dodger].forfeits == 1
    assert store.tournaments.standings("cup").complete


async def test_no_round_is_drawn_before_the_last_matches_are_recorded_as_missed(
    journal: StoreJournal,
) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        if setup.match.partition(".")[0] != f"cup-{ALL}":
            return first_seat_wins(setup)
        return record_of(setup, None, reason="aborted", forfeits={1: "not_ready"})

    hall = Hall(journal, script, configuration=msgspec.structs.replace(CUP, concurrency=1))
    await hall.run()
    assert hall.rounds is not None
    assert hall.rounds.open_at_draw == [None]


async def test_stopping_begins_no_new_match(store: Store, journal: StoreJournal) -> None:
    hall = Hall(journal)
    scheduler = await hall.scheduler()
    scheduler.stop()
    await scheduler.run()
    assert (hall.played(), store.tournaments.standings("cup").played) == ([], 0)


async def test_a_bot_set_aside_costs_only_its_own_matches(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal)
    scheduler = await hall.scheduler()
    scheduler.set_aside("dot", "bot dot ended by itself")
    await scheduler.run()
    table = store.tournaments.standings("cup")
    assert {row.name: row.games for row in table.rows} == {"ann": 4, "bob": 4, "cid": 4, "dot": 0}
    assert tuple(map(str, table.unplayed)) == ("6 not played: bot dot ended by itself",)


async def test_a_bot_that_is_never_ready_is_set_aside(store: Store, journal: StoreJournal) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        if "dot" not in setup.players:
            return first_seat_wins(setup)
        seat = setup.players.index("dot")
        return record_of(setup, None, reason="aborted", forfeits={seat: "not_ready"})

    hall = Hall(journal, script)
    await hall.run()
    asked = Counter(name for setup in hall.referee.played for name in setup.players)
    assert asked["dot"] < 6
    assert {r.name: r.games for r in store.tournaments.standings("cup").rows}["dot"] == 0
    assert any("dot was not ready for 3 matches in a row" in one for one in hall.notes.warnings)


async def test_pairing_whose_rules_fail_waits_for_the_host_while_all_others_go_on(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, faulty(99, failed_rules), configuration=replace(CUP, concurrency=1))
    await hall.run()
    table = store.tournaments.standings("cup")
    assert sorted(hall.played()) == sorted(f"cup-{n}" for n in range(1, ALL + 1) if n != 4)
    assert (table.played, table.scheduled, table.complete) == (ALL - 2, ALL, False)
    assert tuple(map(str, table.unplayed)) == (
        "1 not played: the rules of the game failed at turn 7, so no bot is to blame: "
        "the process has ended",
        "1 not played: the rules of the game failed in match 3 of the same bots, so this one waits "
        "for the host, too",
    )


async def test_next_run_plays_no_match_that_waits_for_the_host(
    store: Store, journal: StoreJournal
) -> None:
    await Hall(journal, faulty(99, failed_rules)).run()
    again = Hall(journal)
    await again.run()
    assert again.played() == []
    assert not store.tournaments.standings("cup").complete


async def test_host_lets_matches_be_played_that_wait_for_him(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, faulty(99, failed_rules), configuration=replace(CUP, concurrency=1))
    await hall.run()
    await journal.play_held(await journal.plan(plan_of(CUP)))
    again = Hall(journal)
    await again.run()
    assert sorted(again.played()) == ["cup-3.2", "cup-4"]
    assert store.tournaments.standings("cup").complete


async def test_match_in_play_keeps_its_result_when_the_rules_fail_in_another_of_its_bots(
    store: Store, journal: StoreJournal
) -> None:
    number = await journal.plan(plan_of(CUP))
    failing, going_on = (await journal.open_pairings(number))[2:4]
    setups = [
        await journal.begin(
            Attempt(setup_of(f"cup-{one.pairing.number}", *one.pairing.players), RATING, one.id)
        )
        for one in (failing, going_on)
    ]
    await journal.finish(failed_rules(setups[0]))
    await journal.finish(first_seat_wins(setups[1]))
    states = {one.number: one for one in store.tournaments.pairings("cup")}
    assert (states[3].state, states[4].state, states[4].detail) == ("held", "played", None)


async def test_rules_that_fail_in_three_pairings_in_a_row_stop_the_tournament(
    store: Store, journal: StoreJournal
) -> None:
    hall = Hall(journal, failed_rules, configuration=replace(CUP, concurrency=1))
    await hall.run()
    pairings = {frozenset(setup.players) for setup in hall.referee.played}
    assert len(pairings) == 3
    assert hall.notes.warnings[-1] == (
        "the rules of packeis failed in matches of 3 different pairings in a row: the tournament "
        "stops; mend the rules, then run it again"
    )
    assert store.tournaments.standings("cup").played == 0
    held = [one for one in store.tournaments.pairings("cup") if one.state == "held"]
    assert {frozenset(one.players) for one in held} == pairings
    assert len(held) == ALL / 2


async def test_match_with_a_result_ends_a_row_of_failures(journal: StoreJournal) -> None:
    failing = {"cup-1", "cup-3", "cup-7", "cup-9"}

    def script(setup: MatchSetup) -> MatchRecord:
        return (failed_rules if setup.match in failing else first_seat_wins)(setup)

    hall = Hall(journal, script, configuration=replace(CUP, concurrency=1))
    await hall.run()
    assert len(hall.played()) == ALL - len(failing)


async def test_rules_that_fail_for_one_pairing_stop_nothing(
    journal: StoreJournal,
) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        is_theirs = set(setup.players) == {"ann", "bob"}
        return failed_rules(setup) if is_theirs else first_seat_wins(setup)

    hall = Hall(journal, script, configuration=replace(CUP, concurrency=1))
    await hall.run()
    assert len(hall.played()) == ALL - 1
