"""What is seen while a tournament is played: how far it is, how fast, who is ahead."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from polynya_app.console.announcements import Announcements
from polynya_app.console.progress import (
    ProgressBar,
    add_points,
    duration,
    leader_words,
    pace_words,
)
from polynya_common.process_report import ProcessReport
from polynya_common.reasons import Reason
from polynya_common.text import address
from polynya_server.records import ForfeitRecord, MatchRecord, RulesFailure
from polynya_tournaments.tournament.progress_events import RunProgress

Played = Callable[..., MatchRecord]


def forfeited(record: MatchRecord) -> MatchRecord:
    """The match as if the bot in seat 1 had been too slow in its second turn."""
    detail = "120 ms of 100 ms were used"
    event = ForfeitRecord(
        turn=4, seat=1, reason="timeout", detail=detail, limit_ms=100, charged_ms=120
    )
    return replace(record, events=[event], ranking=[1, 2])


def test_the_first_annulment_says_why_and_what_helps(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    why = Reason.of("server_was_late", turn=3, over_ms=20, delay_ms=30)
    annulled = replace(played(), ranking=None, server_fault=True, detail=why)
    with ProgressBar() as bar:
        for _ in range(3):
            bar.match_over(annulled, RunProgress(played=0, scheduled=4, in_play=1, played_now=0))
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "annulled" in line] == [
        f"{annulled.setup.match} is annulled and played again: {why}; if that goes on, give more "
        "time for a turn, or run less on this machine",
        "2 matches were annulled so far",
    ]


def test_a_match_whose_rules_failed_is_not_said_to_be_played_again(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    why = Reason.of("rules_failed", turn=3, why="the process has ended")
    failure = RulesFailure((1,), '{"ask": "apply"}')
    annulled = replace(played(), ranking=None, server_fault=True, detail=why, rules_failure=failure)
    with ProgressBar() as bar:
        bar.match_over(annulled, RunProgress(played=0, scheduled=4, in_play=1, played_now=0))
    said = capsys.readouterr().err.splitlines()
    who = annulled.setup.players[1]
    words = f'{why}; {who} acted before; the rules were asked {{"ask": "apply"}}'
    assert f"{annulled.setup.match} is annulled: {words}" in said


def test_the_address_of_ipv6_has_brackets() -> None:
    assert (address("127.0.0.1", 80), address("::1", 80)) == ("127.0.0.1:80", "[::1]:80")


@pytest.mark.parametrize(
    ("seconds", "words"), [(7, "0:07"), (754, "12:34"), (7200, "2:00:00"), (3661, "1:01:01")]
)
def test_a_duration_is_written_like_on_a_clock(seconds: int, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("progress", "seconds", "words"),
    [
        (
            RunProgress(played=10, scheduled=40, in_play=2, played_now=10),
            5.0,
            "2.0 per second, 0:15",
        ),
        (
            RunProgress(played=35, scheduled=40, in_play=2, played_now=5),
            10.0,
            "30.0 per minute, 0:10",
        ),
    ],
)
def test_the_pace_counts_this_run_alone(progress: RunProgress, seconds: float, words: str) -> None:
    assert pace_words(progress, seconds) == f"{words} left"


def test_before_the_first_result_there_is_no_pace() -> None:
    assert pace_words(RunProgress(played=3, scheduled=9, in_play=1, played_now=0), 1.0) == ""


def test_points_are_opponents_left_behind(played: Played) -> None:
    points: dict[str, float] = {}
    add_points(points, replace(played("packeis", 3), ranking=[1, 1, 3]))
    assert points == {"bot0": 1.5, "bot1": 1.5, "bot2": 0.0}


def test_a_match_without_a_result_gives_no_points(played: Played) -> None:
    points = {"bot0": 1.0}
    add_points(points, replace(played(), ranking=None))
    assert points == {"bot0": 1.0}


def test_the_three_best_are_ahead() -> None:
    assert leader_words({"a": 1.0, "b": 2.5, "c": 0.5, "d": 2.5}) == "ahead: b 2.5, d 2.5, a 1"


def test_without_a_terminal_a_line_is_said_at_each_tenth(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    record = replace(played(), ranking=[1, 2])
    times = iter(range(1000))
    with ProgressBar(now=lambda: float(next(times))) as bar:
        for done in range(1, 41):
            bar.match_over(record, RunProgress(done, 40, 1, done))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[0] == "4 of 40 matches, 1.0 per second, 0:36 left, ahead: bot0 4, bot1 0"


def test_the_figures_are_whole_in_a_terminal_of_80_columns(
    played: Played, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    times = iter(range(0, 1000, 10))
    points = {"a-bot-with-a-long-name": 2000.5, "another-bot-with-one": 1999.5}
    with ProgressBar(points, now=lambda: float(next(times))) as bar:
        bar.match_over(replace(played(), ranking=[1, 2]), RunProgress(1234, 5000, 2, 1))
    shown = capsys.readouterr().err
    assert "1234/5000" in shown
    assert "6.0 per minute, 10:27:40 left" in shown


def test_forfeit_by_time_is_shown_with_its_reason_and_times(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    record = forfeited(played())
    with ProgressBar(now=lambda: 0.0) as bar:
        bar.forfeits(record, {1: ProcessReport(cpu_ms=[(2, 7), (4, 35)])})
        bar.forfeits(record, {})
    begin = f"bot1 forfeits {record.setup.match} by timeout: 120 ms of 100 ms were used"
    assert capsys.readouterr().err.splitlines() == [
        f"{begin} (wall time 120 ms, processor time 35 ms)",
        f"{begin} (wall time 120 ms)",
    ]


def test_only_the_first_forfeits_of_a_bot_are_shown(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    record = forfeited(played())
    with ProgressBar(now=lambda: 0.0) as bar:
        for _ in range(8):
            bar.forfeits(record, {})
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[-1]) == (4, "further forfeits of bot1 are counted in the table")


def test_points_of_an_earlier_run_are_counted(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    record = replace(played(), ranking=[1, 2])
    with ProgressBar({"bot1": 5.0}, now=lambda: 0.0) as bar:
        bar.match_over(record, RunProgress(6, 6, 0, 1))
    assert "ahead: bot1 5, bot0 1" in capsys.readouterr().err


def test_leader_is_not_shown_while_results_are_hidden(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter(range(1000))
    with ProgressBar(now=lambda: float(next(times)), hidden=True) as bar:
        bar.verdict("H1 accepted")
        bar.match_over(replace(played(), ranking=[1, 2]), RunProgress(4, 40, 1, 4))
    assert capsys.readouterr().err.splitlines() == ["4 matches, 4.0 per second"]


def test_a_warning_keeps_its_lines_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    Announcements().warning("bot a ended:\n\x1b[31mlast [bold]words")
    assert capsys.readouterr().err == "warning: bot a ended:\n?[31mlast [bold]words\n"
