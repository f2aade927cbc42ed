"""Reports for each match what its hosted processes used, and how they ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager

import trio

from polynya_common.process_report import ProcessReport, turns_words
from polynya_common.reasons import Reason
from polynya_hosting.bots.process_watch import End, ProcessWatch, Span
from polynya_protocol.errors import printable
from polynya_server.records import MatchEvent, MatchRecord, TurnRecord

_SAMPLE_S = 0.5
"""A guard answers within a millisecond, unless its machine is very busy."""
_END_S = 2.0
"""A killed process ends within this time after its connection, unless its clean-up is long."""
_MOST_OF_LINE = 300
_NO_TURN = 0
_NS_PER_MS = 1_000_000
_NS_PER_US = 1_000

TurnsOf = Callable[[str, int], Mapping[str, int]]
"""The matches of a process of a bot, by name and number, each with its turn number."""

WriteReports = Callable[[str, Mapping[int, ProcessReport]], Awaitable[None]]
"""Stores the reports of a match, by seat."""

TellForfeits = Callable[[MatchRecord, Mapping[int, ProcessReport]], None]
"""Tells the forfeits of a recorded match, with the reports of its hosted processes by seat."""

WatchRecords = Callable[[Callable[[MatchRecord], None]], AbstractContextManager[None]]
"""Calls a function with the record of each match that ends, until the context exits."""


def _in_no_match(_name: str, _number: int) -> Mapping[str, int]:
    return {}


def _tell_nothing(_record: MatchRecord, _reports: Mapping[int, ProcessReport]) -> None:
    pass


class ProcessReports:
    """Watches processes, and stores a report on each when its match has ended.

    Args:
        turns_of: see :data:`TurnsOf`.
        write: see :data:`WriteReports`; None if nothing is kept: then the processes are not asked
            for their use of resources.
        tell: called with a sentence for each process that ended in a match.
        tell_forfeits: called for each match with forfeits; see :data:`TellForfeits`.
    """

    def __init__(
        self,
        turns_of: TurnsOf = _in_no_match,
        write: WriteReports | None = None,
        tell: Callable[[str], None] = lambda _: None,
        tell_forfeits: TellForfeits = _tell_nothing,
    ) -> None:
        self._tell = tell
        self._tell_forfeits = tell_forfeits
        self._nursery: trio.Nursery | None = None
        self._turns_of = turns_of
        self._write = write
        self._running: dict[str, list[ProcessWatch]] = {}
        self._ended_in: dict[tuple[str, str], ProcessWatch] = {}

    @asynccontextmanager
    async def keeping(self, watching: WatchRecords) -> AsyncIterator[None]:
        """Store reports; those of all ended matches are stored when the context exits."""
        async with trio.open_nursery() as self._nursery:
            with watching(self._note_record):
                yield
        self._nursery = None

    @contextmanager
    def watching(
        self, name: str, number: int, sandbox: str, core: int | None
    ) -> Iterator[ProcessWatch]:
        """Watch a process until the context exits."""
        watch = ProcessWatch(name, number, sandbox, core)
        running = self._running.setdefault(name, [])
        running.append(watch)
        try:
            yield watch
        finally:
            running.remove(watch)
            watch.ended.set()
            if watch.end is not None:
                self._ended_in |= {(match, name): watch for match in watch.end.turns}

    def _note_record(self, record: MatchRecord) -> None:
        """Handle an ended match, while its processes are still known as its players."""
        match = record.setup.match
        watches = {
            seat: watch
            for seat, name in enumerate(record.setup.players)
            if (watch := self._ended_in.pop((match, name), None) or self._playing(name, match))
        }
        players = [*watches.values()]
        if self._write is None:  # only the ends of processes and forfeits are told
            lost = {one.seat for one in record.forfeits}
            watches = {
                seat: watch
                for seat, watch in watches.items()
                if seat in lost or watch.end is not None
            }
        if (watches or record.forfeits) and self._nursery is not None:
            for watch in watches.values():
                watch.reports_due += 1
            self._nursery.start_soon(self._keep, record, watches)
        self._forget_samples(players)

    def _forget_samples(self, watches: Iterable[ProcessWatch]) -> None:
        for watch in watches:
            watch.forget_samples(self._turns_of(watch.name, watch.number))

    def _playing(self, name: str, match: str) -> ProcessWatch | None:
        """The process that plays a match for a bot."""
        running = self._running.get(name, ())
        return next((one for one in running if match in self._turns_of(name, one.number)), None)

    async def _keep(self, record: MatchRecord, watches: Mapping[int, ProcessWatch]) -> None:
        """Wait for the last samples and ends of the processes, then store their reports."""
        lost = _lost_seats(record)
        for seat, watch in watches.items():
            with trio.move_on_after(_SAMPLE_S):
                await watch.newly_sampled()
            if seat in lost:
                with trio.move_on_after(_END_S):
                    await watch.ended.wait()
        reports = {
            seat: _report(record, seat, watch, lost=seat in lost) for seat, watch in watches.items()
        }
        for watch in watches.values():
            watch.reports_due -= 1
        self._forget_samples(watches.values())
        for seat, report in reports.items():
            if report.ended is not None:
                bot = record.setup.players[seat]
                self._tell(f"bot {bot} in {record.setup.match}: {turns_words(report)}")
        if self._write is not None:
            await self._write(record.setup.match, reports)
        if record.forfeits:
            self._tell_forfeits(record, reports)


def _lost_seats(record: MatchRecord) -> set[int]:
    return {one.seat for one in record.forfeits if one.reason == "disconnected"}


def _report(record: MatchRecord, seat: int, watch: ProcessWatch, *, lost: bool) -> ProcessReport:
    end = watch.end
    if end is not None and not (lost or record.setup.match in end.turns):
        end = None  # it came after the match
    hit = watch.limits_hit()
    return ProcessReport(
        sandbox=watch.sandbox,
        core=watch.core,
        cpu_ms=[one for one in watch.cpu_ms(_turns(record, seat, end)) if one[0] != _NO_TURN],
        peak_bytes=hit.peak_bytes,
        limits=list(hit.words),
        ended=None if end is None else end.how,
        code=None if end is None else end.code,
        last_received=_last_received(record, seat, end),
        last_lines=[printable(line, _MOST_OF_LINE) for line in watch.last_lines()],
    )


def _turns(record: MatchRecord, seat: int, end: End | None) -> list[tuple[int, Span]]:
    """The turns of a seat, each from its request to its answer or forfeit.

    Turns that began after the process had ended were played by its successor. After a forfeit a bot
    may think on: that belongs to no turn.
    """
    turns: list[tuple[int, Span]] = []
    for event in record.events:
        if event.seat == seat and event.queued_us is not None:
            turns += _spans(event, event.queued_us, record)
    return [one for one in turns if end is None or one[1].begin <= end.at_ms * _NS_PER_MS]


def _spans(event: MatchEvent, queued_us: int, record: MatchRecord) -> Iterator[tuple[int, Span]]:
    """A turn, and the rest of the match after a turn that has no answer."""
    began_ns = record.started_ms * _NS_PER_MS
    finished_ns = record.finished_ms * _NS_PER_MS
    begin_ns = began_ns + queued_us * _NS_PER_US
    if event.last_byte_us is not None:
        yield event.turn, Span(begin_ns, began_ns + event.last_byte_us * _NS_PER_US)
    elif event.flushed_us is None or event.charged_ms is None:
        yield event.turn, Span(begin_ns, finished_ns)
    else:
        end_ns = began_ns + event.flushed_us * _NS_PER_US + event.charged_ms * _NS_PER_MS
        yield event.turn, Span(begin_ns, end_ns)
        yield _NO_TURN, Span(end_ns, max(end_ns, finished_ns))


def _last_received(record: MatchRecord, seat: int, end: End | None) -> Reason | None:
    """The last answer of a seat, and its time before the end of the process or of the match."""
    answers = [
        (event, record.started_ms + event.last_byte_us // 1000)
        for event in record.events
        if event.seat == seat and event.last_byte_us is not None
    ]
    answers = [one for one in answers if end is None or one[1] <= end.at_ms]
    if not answers:
        return None
    last, at_ms = answers[-1]
    before_s = max(0, (record.finished_ms if end is None else end.at_ms) - at_ms) / 1000
    if isinstance(last, TurnRecord):
        if end is None:
            return Reason.of("last_move_of_match", turn=last.turn, seconds=before_s)
        return Reason.of("last_move", turn=last.turn, seconds=before_s)
    if end is None:
        return Reason.of("last_answer_of_match", turn=last.turn, seconds=before_s)
    return Reason.of("last_answer", turn=last.turn, seconds=before_s)
