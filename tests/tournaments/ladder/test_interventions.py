"""What a host sets right: annulled matches count no more, and all of it is recorded."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import trio
from tests.scripted import race_host
from tests.scripted.scripted_referee import ScriptedReferee, first_seat_wins, record_of, setup_of
from tests.served import ladder_of_two

from polynya_app.application import run
from polynya_common.reasons import Cause
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Attempt, Pool, Store, StoreJournal
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder
from polynya_tournaments.ladder.roster_sync import RosterPoller
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress

RATING = RatingSettings()
LADDER = LadderSettings("packeis", Clock(move_ms=100), seed=3)


async def play(journal: StoreJournal, *pairs: tuple[str, str]) -> None:
    """Rated ladder matches, won by the first of each two."""
    for pair in pairs:
        attempt = Attempt(setup_of("", *pair), RatingSettings(), of_ladder=True)
        setup = await journal.begin(attempt)
        await journal.finish(record_of(setup, [1, 2]))


async def test_annulled_matches_do_not_count(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await play(journal, ("ann", "bob"))
    before = store.ratings.find()
    await play(journal, ("ann", "cheat"), ("cheat", "bob"))
    command = ["bots", "annul", "cheat", "--since", "1970-01-01", "--why", "it cheated"]
    assert run([*command, "--database", str(store.address)]) == 0
    assert capsys.readouterr().out.startswith("2 matches of cheat were annulled")
    assert before == store.ratings.find()
    assert store.ratings.differences() == []
    assert [row.annulled for row in store.matches.find()] == [None, "it cheated", "it cheated"]


async def test_matches_that_ended_before_are_not_annulled(
    store: Store, journal: StoreJournal
) -> None:
    await play(journal, ("ann", "bob"))
    assert store.interventions.annul("ann", 3, "too late") == 0
    assert store.interventions.all() == []
    assert store.interventions.annul("ann", 2, "in time") == 1
    assert store.interventions.annul("ann", 2, "once more") == 0


async def test_ratings_go_on_from_what_is_left(store: Store, journal: StoreJournal) -> None:
    await play(journal, ("ann", "bob"), ("ann", "cheat"))
    store.interventions.annul("cheat", 0, "it cheated")
    await play(journal, ("ann", "bob"))
    assert {row.bot: row.games for row in store.ratings.find()} == {"ann": 2, "bob": 2}
    assert store.ratings.differences() == []


async def test_the_replay_says_that_its_match_was_annulled(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await play(journal, ("ann", "bob"))
    store.interventions.annul("bob", 0, "it cheated")
    assert run(["replay", "show", "ladder-1", "--database", str(store.address)]) == 0
    assert "annulled, it does not count: it cheated\n" in capsys.readouterr().out


async def test_interventions_are_shown_with_operator_and_reason(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await play(journal, ("ann", "bob"))
    await journal.suspend("bob", "it failed")
    store.interventions.resume("bob", "it is mended", "ada")
    store.interventions.annul("bob", 0, "it cheated", "ada")
    assert run(["bots", "history", "bob", "--json", "--database", str(store.address)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["who"], row["action"], row["why"], row["matches"]) for row in rows] == [
        ("the ladder", "suspend", "it failed", None),
        ("ada", "resume", "it is mended", None),
        ("ada", "annul", "it cheated", 1),
    ]


async def test_a_time_that_is_none_and_a_bot_that_is_not_there_are_named(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", str(store.address)]
    assert run(["bots", "annul", "bob", "--since", "soon", *database]) == 2
    assert "since: 'soon' is no time" in capsys.readouterr().err
    assert run(["bots", "annul", "bob", "--since", "2026-11-25", *database]) == 1
    assert "holds no bot bob" in capsys.readouterr().err


def test_matches_are_annulled_while_a_server_plays_into_the_same_database(
    polynya: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "ladder.sqlite"
    with ladder_of_two(polynya, database) as server:
        server.read_until("a match is over")
        command = ["bots", "annul", "ada", "--since", "1970-01-01", "--database", str(database)]
        assert run(command) == 0
        annulled = int(capsys.readouterr().out.split()[0])
        for _ in range(annulled + 1):
            server.read_until("a match is over")
        code, rest = server.stop()
    with Store.open(database) as store:
        rows = [row for row in store.matches.find() if row.reason == "finished"]
        counted = [row for row in rows if row.annulled is None]
        assert annulled == len(rows) - len(counted)
        assert counted
        assert {row.games for row in store.ratings.find()} == {len(counted)}
        assert store.ratings.differences() == []
    assert (code, "Traceback" in rest) == (0, False)


def recorded_fault(setup: MatchSetup) -> MatchRecord:
    """The second bot forfeits a match that ended just now."""
    now_ms = time.time_ns() // 1_000_000
    record = record_of(setup, [1, 2], reason="forfeit", forfeits={1: "timeout"})
    return msgspec.structs.replace(record, finished_ms=now_ms)


async def fault(journal: StoreJournal, number: int) -> MatchRecord:
    """A ladder match that bob has just forfeited by its own fault, recorded."""
    setup = await journal.begin(Attempt(setup_of(f"ladder-{number}", "ann", "bob"), RATING))
    record = recorded_fault(setup)
    await journal.finish(record)
    return record


async def test_row_of_faults_in_a_running_server_follows_an_annulment(
    store: Store, journal: StoreJournal
) -> None:
    suspensions = Suspensions.recorded(3, store)
    async with race_host() as host:
        poller = RosterPoller(store, host.server, suspensions)
        for number in (1, 2):
            suspensions.suspended_by(await fault(journal, number))
        store.interventions.annul("bob", 0, "the machine was late")
        changes = poller.look()
        # One match ends after the database was read, and another one was read but not judged yet.
        suspensions.suspended_by(await fault(journal, 3))
        poller.act(changes)
        assert suspensions.conduct("bob").in_a_row == 1
        late = await fault(journal, 4)
        with suspensions.in_play("ladder-4"):
            store.interventions.note_recomputed("ada")
            poller.act(poller.look())
            suspensions.suspended_by(late)
        assert suspensions.conduct("bob").in_a_row == 2
        assert poller.look().recomputed is None


async def test_bot_whose_faults_are_annulled_rests_no_more_in_a_running_ladder(
    store: Store, journal: StoreJournal
) -> None:
    for number in range(1, 5):
        await fault(journal, number)
    referee = ScriptedReferee(journal, ["ann", "bob", "cid"], first_seat_wins)
    suspensions = Suspensions.recorded(5, store)
    stop = trio.Event()

    class Host(Reporter):
        def match_begins(self, match: str, players: Sequence[str], why: Cause) -> None:  # noqa: ARG002
            if "bob" in players:
                stop.set()

        def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
            if len(referee.played) == 3:
                store.interventions.annul("bob", 0, "the machine was late")
                poller.act(poller.look())

    async with race_host() as host:
        poller = RosterPoller(store, host.server, suspensions)
        with trio.fail_after(60):
            await run_ladder(LADDER, referee, journal, stop, Host(), suspensions)
    with_bob = ["bob" in setup.players for setup in referee.played]
    assert with_bob[:3] == [False] * 3
    assert any(with_bob)


async def test_figures_leave_annulled_matches_out(store: Store, journal: StoreJournal) -> None:
    """Opponents, forfeits on the ladder and on the bot's page, streaks and lists of ratings."""
    pool = Pool("packeis", 2, "elo", "ultrabullet")
    setup = setup_of("ladder-1", "ann", "bob")
    setup = await journal.begin(Attempt(setup, RatingSettings()))
    await journal.finish(record_of(setup, [1, 2], reason="forfeit", forfeits={1: "timeout"}))
    await play(journal, ("ann", "bob"))

    def figures() -> tuple[object, ...]:
        return (
            [one.matches for one in store.profiles.opponents("ann", pool)],
            store.profiles.forfeits("bob"),
            {row.bot: row.forfeits for row in store.ladder.page(pool).rows},
            sum(not outcome.annulled for outcome in store.ladder.outcomes()),
            len(store.profiles.rating_history("bob", pool)),
        )

    assert figures() == ([2], {"timeout": 1}, {"ann": 0, "bob": 1}, 4, 2)
    store.interventions.annul("bob", 0, "the machine was late")
    assert figures() == ([], {}, {}, 0, 0)
