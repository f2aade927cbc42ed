"""A bot that keeps failing gets no more matches, until its host puts it back."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

import pytest
import trio
from tests.scripted.scripted_referee import ScriptedReferee, first_seat_wins, record_of, setup_of

from polynya_app.application import run
from polynya_contest.conduct import FAULTS, ConductEntry
from polynya_contest.ratings.model import RatingSettings
from polynya_protocol.messages import Clock, ForfeitReason
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import Attempt, Store, StoreJournal
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder
from polynya_tournaments.ladder.suspensions import Suspensions
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress

THREE = LadderSettings("packeis", Clock(move_ms=100), suspend_after=3)


def lost_by(reason: ForfeitReason | None) -> MatchRecord:
    """A match of ann and bob; bob forfeits it by ``reason``, None for a match played out."""
    setup = setup_of("ladder-1", "ann", "bob")
    return record_of(setup, [1, 2], forfeits={} if reason is None else {1: reason})


@pytest.mark.parametrize("reason", sorted(FAULTS))
def test_failures_in_a_row_suspend_and_one_fewer_do_not(reason: ForfeitReason) -> None:
    suspensions = Suspensions(3)
    assert [list(suspensions.suspended_by(lost_by(reason))) for _ in range(3)] == [[], [], ["bob"]]
    assert suspensions.names == {"bob"}


def test_a_match_that_is_played_to_its_end_ends_the_row() -> None:
    suspensions = Suspensions(2)
    for record in (lost_by("timeout"), lost_by(None), lost_by("timeout")):
        assert suspensions.suspended_by(record) == {}


def test_a_ladder_keeps_no_outcomes_of_the_matches_that_it_has_judged() -> None:
    suspensions = Suspensions(3)
    for _ in range(100):
        suspensions.suspended_by(lost_by(None))
    kept = sum(isinstance(each, ConductEntry) for each in gc.get_objects())
    assert kept < 100


def test_half_of_the_last_matches_suspend_when_there_are_eight() -> None:
    suspensions = Suspensions(5)
    for reason in ("timeout", None) * 3:
        assert suspensions.suspended_by(lost_by(reason)) == {}
    suspensions.suspended_by(lost_by(None))
    found = suspensions.suspended_by(lost_by("not_ready"))
    assert {name: str(why) for name, why in found.items()} == {
        "bob": "4 of its last 8 matches ended by its own fault, the last, ladder-1, by not_ready: "
        "it did"
    }


def test_fewer_than_half_of_the_last_twenty_do_not_suspend() -> None:
    suspensions = Suspensions(5)
    for _ in range(60):
        for reason in (None, None, "timeout"):
            assert suspensions.suspended_by(lost_by(reason)) == {}


def test_a_match_without_a_result_does_not_end_the_row() -> None:
    suspensions = Suspensions(2)
    annulled = record_of(setup_of("ladder-2", "ann", "bob"), None, reason="annulled")
    suspensions.suspended_by(lost_by("timeout"))
    suspensions.suspended_by(annulled)
    assert list(suspensions.suspended_by(lost_by("timeout"))) == ["bob"]


def test_zero_turns_suspension_off() -> None:
    suspensions = Suspensions(0)
    assert [suspensions.suspended_by(lost_by("timeout")) for _ in range(20)] == [{}] * 20


def test_reason_is_that_of_the_last_match() -> None:
    found = Suspensions(1).suspended_by(lost_by("timeout"))
    assert {name: str(why) for name, why in found.items()} == {
        "bob": "1 match ended by its own fault, the last, ladder-1, by timeout: it did"
    }


def test_reinstated_bot_has_all_its_chances_again() -> None:
    suspensions = Suspensions(2)
    for _ in range(2):
        suspensions.suspended_by(lost_by("timeout"))
    suspensions.resume("bob")
    assert suspensions.names == set()
    assert suspensions.suspended_by(lost_by("timeout")) == {}


class Until(Reporter):
    """Stops a ladder after so many matches."""

    def __init__(self, matches: int) -> None:
        self.stop = trio.Event()
        self.warnings: list[str] = []
        self._left = matches

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self._left -= 1
        if self._left == 0:
            self.stop.set()

    def warning(self, sentence: str) -> None:
        self.warnings.append(sentence)


def bob_times_out(setup: MatchSetup) -> MatchRecord:
    if "bob" not in setup.players:
        return first_seat_wins(setup)
    seat = setup.players.index("bob")
    ranking = [2 if place == seat else 1 for place in range(len(setup.players))]
    return record_of(setup, ranking, reason="forfeit", forfeits={seat: "timeout"})


async def fail(journal: StoreJournal, matches: int, first: int = 1) -> None:
    """Bob has timed out in so many matches, long ago, so that it does not rest any more."""
    for number in range(first, first + matches):
        setup = setup_of(f"ladder-{number}", "ann", "bob")
        await journal.begin(Attempt(setup, RatingSettings()))
        await journal.finish(bob_times_out(setup))


async def play(
    journal: StoreJournal, matches: int, settings: LadderSettings = THREE
) -> tuple[Counter[str], list[str]]:
    """How many matches each bot got, and the warnings."""
    referee = ScriptedReferee(journal, ["ann", "bob", "cid"], bob_times_out)
    until = Until(matches)
    with trio.fail_after(60):
        await run_ladder(settings, referee, journal, until.stop, until)
    return Counter(name for setup in referee.played for name in setup.players), until.warnings


async def test_the_ladder_gives_a_suspended_bot_no_more_matches_also_after_a_restart(
    store: Store, journal: StoreJournal, capsys: pytest.CaptureFixture[str]
) -> None:
    await fail(journal, 2)
    played, warnings = await play(journal, 20)
    assert played["bob"] == 1
    assert [warning[:23] for warning in warnings] == ["bot bob is suspended: 3"]
    assert "polynya bots resume bob" in warnings[0]
    assert (await play(journal, 5))[0]["bob"] == 0
    assert run(["bots", "list", "--database", str(store.address)]) == 0
    assert "3 matches in a row ended by its own fault" in capsys.readouterr().out


async def test_a_row_of_failures_goes_on_after_a_restart(journal: StoreJournal) -> None:
    await fail(journal, 2)
    played, warnings = await play(journal, 10)
    assert played["bob"] == 1
    assert warnings[0].startswith("bot bob is suspended: 3 matches in a row")


async def test_faults_against_people_do_not_count(store: Store, journal: StoreJournal) -> None:
    for number in (1, 2):
        setup = setup_of(f"play-{number}", "person-ada", "bob")
        guests = frozenset({"person-ada"})
        await journal.begin(Attempt(setup, RatingSettings(), guests=guests))
        await journal.finish(bob_times_out(setup))
    assert Suspensions.recorded(3, store).suspended_by(lost_by("timeout")) == {}


async def test_faults_before_reinstatement_do_not_count(
    store: Store, journal: StoreJournal
) -> None:
    await fail(journal, 2)
    await play(journal, 20)
    store.interventions.resume("bob")
    recorded = Suspensions.recorded(3, store)
    assert recorded.names == set()
    assert recorded.suspended_by(lost_by("timeout")) == {}


async def test_one_command_puts_a_bot_back(store: Store, journal: StoreJournal) -> None:
    await fail(journal, 2)
    await play(journal, 20)
    assert (await play(journal, 5))[0]["bob"] == 0
    assert run(["bots", "resume", "bob", "--database", str(store.address)]) == 0
    assert (await play(journal, 20))[0]["bob"] == 1


def test_a_bot_that_is_not_suspended_or_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", str(tmp_path / "new.sqlite")]
    run(["bots", "add", "ada", *database])
    assert run(["bots", "resume", "ada", *database]) == 1
    assert "ada is not suspended" in capsys.readouterr().err
    assert run(["bots", "resume", "bob", *database]) == 1
    assert "holds no bot bob" in capsys.readouterr().err
