"""The progress of a tournament: a progress bar, or some lines without a terminal.

All of it goes to standard error, so that standard output holds the table alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from polynya_app.console.announcements import Announcements
from polynya_app.console.replay_table import forfeit_times
from polynya_common.process_report import ProcessReport
from polynya_common.text import join_words
from polynya_contest.ratings.elo import pair_score
from polynya_server.records import MatchRecord
from polynya_store.tournaments.held_matches import failed_match
from polynya_tournaments.tournament.progress_events import RunProgress as Done
from polynya_tournaments.tournament.progress_events import WorkerProgress

_LEADERS = 3
_FORFEITS = 3
"""How many forfeits of each bot are told."""
_LINES = 10
"""Lines in all where there is no terminal for a bar."""


class ProgressBar(Announcements):
    """Games done, rate, time left and the best so far; a context manager.

    Args:
        points: what the bots have from earlier runs.
        now: a clock in seconds.
        hidden: whether results are not to be told: the leader is not named.
    """

    def __init__(
        self,
        points: Mapping[str, float] | None = None,
        now: Callable[[], float] = time.monotonic,
        *,
        hidden: bool = False,
    ) -> None:
        super().__init__()
        self._points = dict(points or {})
        self._now = now
        self._hidden = hidden
        self._began = now()
        self._lines_said = 0
        self._verdict = ""
        self._verdicts = 0
        self._workers = ""
        self._forfeits: Counter[str] = Counter()
        self._annulled = 0
        self._bar = Progress(
            TextColumn("matches"),
            # The bar and the leaders share the rest of the line: the figures are never cut.
            BarColumn(bar_width=None, table_column=Column(ratio=1, no_wrap=True)),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}", markup=False),
            TextColumn(
                "{task.fields[leaders]}",
                markup=False,
                table_column=Column(ratio=3, no_wrap=True),
            ),
            expand=True,
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, pace="", leaders="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def waiting(self, names: Sequence[str]) -> None:
        """The bots that are still to come, in the place of those ahead."""
        if self._bar.disable:
            super().waiting(names)
        else:
            self._bar.update(
                self._task, leaders=f"waiting for {join_words(names)}" if names else ""
            )

    def verdict(self, sentence: str) -> None:
        """How a test stands, in the place of those ahead; without a bar, ever less often a line."""
        self._verdict = sentence.split(";")[0]
        self._verdicts += 1
        if self._bar.disable and not self._hidden and self._verdicts.bit_count() == 1:
            self.say(self._verdict)

    def match_over(self, record: MatchRecord, progress: Done) -> None:
        """Move the bar; where there is none, say a line at each tenth."""
        self._say_annulment(record)
        add_points(self._points, record)
        pace = ", ".join(filter(None, [self._pace(progress), self._workers]))
        leaders = self._leaders()
        self._bar.update(
            self._task,
            completed=progress.played,
            total=None if self._verdict else progress.scheduled,
            pace=pace,
            leaders=leaders,
        )
        if self._bar.disable and progress.played * _LINES // progress.scheduled > self._lines_said:
            self._lines_said = progress.played * _LINES // progress.scheduled
            of_how_many = "" if self._verdict else f" of {progress.scheduled}"
            words = [f"{progress.played}{of_how_many} matches", pace, leaders]
            self.say(", ".join(filter(None, words)))

    def workers(self, progress: WorkerProgress) -> None:
        """How many workers play, beside the pace."""
        self._workers = f"{progress.workers} worker{'s' if progress.workers != 1 else ''}"
        if progress.waiting:
            are = "block waits" if progress.waiting == 1 else "blocks wait"
            self._workers += f", {progress.waiting} {are}"

    def walkovers(self, progress: Done) -> None:
        """Move the end of the bar."""
        self._bar.update(self._task, completed=progress.played, total=progress.scheduled)

    def _pace(self, progress: Done) -> str:
        """How fast it goes; a test ends when it is decided, so nothing says how long it takes."""
        words = pace_words(progress, self._now() - self._began)
        return words.partition(",")[0] if self._verdict else words

    def _leaders(self) -> str:
        return "" if self._hidden else self._verdict or leader_words(self._points)

    def forfeits(self, record: MatchRecord, reports: Mapping[int, ProcessReport]) -> None:
        """A bot's first forfeits in full: its author wants to know why, and often all are alike."""
        for lost in record.forfeits:
            name = record.setup.players[lost.seat]
            self._forfeits[name] += 1
            if self._forfeits[name] <= _FORFEITS:
                times = forfeit_times(lost, reports.get(lost.seat))
                why = f"{lost.detail} ({times})" if times else lost.detail
                self.say(f"{name} forfeits {record.setup.match} by {lost.reason}: {why}")
            if self._forfeits[name] == _FORFEITS:
                self.say(f"further forfeits of {name} are counted in the table")

    def _say_annulment(self, record: MatchRecord) -> None:
        """The first annulment in full, and ever more rarely how many there are."""
        if not record.server_fault:
            return
        self._annulled += 1
        if record.rules_failed:
            found = failed_match(record)
            self.say(f"{found.match} is annulled: {found.why}{found.clauses}")
        elif self._annulled == 1:
            self.say(
                f"{record.setup.match} is annulled and played again: {record.detail}; if that goes "
                "on, give more time for a turn, or run less on this machine"
            )
        elif self._annulled.bit_count() == 1:
            self.say(f"{self._annulled} matches were annulled so far")


def add_points(points: dict[str, float], record: MatchRecord) -> None:
    """Count a match: for each opponent left behind one point, for a tie half of one."""
    ranking = record.ranking
    if ranking is None:
        return
    for seat, name in enumerate(record.setup.players):
        others = (*ranking[:seat], *ranking[seat + 1 :])
        won = sum(pair_score(ranking[seat], other) for other in others)
        points[name] = points.get(name, 0) + won


def pace_words(progress: Done, seconds: float) -> str:
    """How fast it goes and how long it still takes: ``2.5 per second, 0:12 left``."""
    if not progress.played_now or seconds <= 0:
        return ""
    rate = progress.played_now / seconds
    left = round((progress.scheduled - progress.played) / rate)
    shown = f"{rate:.1f} per second" if rate >= 1 else f"{rate * 60:.1f} per minute"
    return f"{shown}, {duration(left)} left"


def duration(seconds: int) -> str:
    """``0:07``, ``12:34`` or ``2:00:00``."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def leader_words(points: Mapping[str, float]) -> str:
    """The best so far: ``ahead: greedy 12, random 8.5``."""
    best = sorted(points.items(), key=lambda item: (-item[1], item[0]))[:_LEADERS]
    return f"ahead: {', '.join(f'{name} {value:g}' for name, value in best)}" if best else ""
