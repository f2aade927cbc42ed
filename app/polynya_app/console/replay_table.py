"""A match record as lines and rows for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from polynya_common.process_report import ProcessReport, cpu_ms_of, turn_time_words
from polynya_common.text import moment, refused_words
from polynya_protocol.errors import printable
from polynya_protocol.messages import Clock, Software
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord

COLUMNS = [
    ">turn",
    "bot",
    "played",
    ">charged ms",
    ">answered ms",
    ">left ms",
    ">sent ms",
    ">server late ms",
    "remarks",
]
"""Times: what the clock took; from sending the turn to the last byte of the answer; the budget
afterwards; from queueing the turn to having sent it; the largest delay of the event loop."""


def heading(record: MatchRecord) -> Iterator[str]:
    """The match's kind and its end, line by line."""
    setup = record.setup
    yield f"match {setup.match}: {setup.game}, {len(setup.players)} players, seed {setup.seed}"
    if record.options:
        yield f"options: {_compact(record.options)}"
    yield f"clock: {clock_words(setup.clock)}{_untimed_words(setup.untimed)}"
    seconds = (record.finished_ms - record.started_ms) / 1000
    yield f"played: {moment(record.started_ms)}, {seconds:.1f} s, server {record.server}"
    if record.worker is not None:
        yield f"worker: {printable(record.worker)}"
    if (machine := record.machine) is not None:
        yield (
            f"machine: {machine.cores} cores, {machine.busy:.0%} busy, "
            f"{machine.stolen:.0%} stolen by others, {machine.runnable:.1f} tasks runnable"
        )
    ended = record.reason if record.termination is None else record.termination
    yield f"ended: {ended}{f', {record.detail}' if record.detail else ''}"


def seat_rows(record: MatchRecord) -> Iterator[Sequence[object]]:
    """One row per seat: seat, bot, software, rank, score."""
    for seat, name in enumerate(record.setup.players):
        software = record.software[seat] if seat < len(record.software) else None
        rank = record.ranking[seat] if record.ranking else None
        score = record.scores[seat] if record.scores else None
        yield seat, name, _software(software), rank, score


def event_rows(
    record: MatchRecord, reports: Mapping[int, ProcessReport]
) -> Iterator[Sequence[object]]:
    """One row per turn and per forfeit, of :data:`COLUMNS`.

    Args:
        record: the match.
        reports: those of its hosted processes that are known, by seat.
    """
    for event in record.events:
        if isinstance(event, TurnRecord):
            yield _turn(event, record)
        else:
            yield _forfeit(event, record, reports.get(event.seat))


def forfeit_times(forfeit: ForfeitRecord, report: ProcessReport | None) -> str:
    """How long the turn of a forfeit by time took; empty for another forfeit."""
    if forfeit.reason != "timeout":
        return ""
    return turn_time_words(forfeit.wall_ms, cpu_ms_of(report, forfeit.turn))


def _turn(turn: TurnRecord, record: MatchRecord) -> Sequence[object]:
    steps = ", ".join(" ".join(map(str, step)) for step in turn.steps)
    left = turn.remaining_ms[turn.seat] if turn.seat < len(turn.remaining_ms) else None
    info = None if turn.info is None else _compact(turn.info)
    bot = _bot(record, turn.seat)
    return turn.turn, bot, steps, turn.charged_ms, _answered(turn), left, *_server(turn), info


def _forfeit(
    forfeit: ForfeitRecord, record: MatchRecord, report: ProcessReport | None
) -> Sequence[object]:
    said = f"forfeits: {forfeit.reason}"
    bot = _bot(record, forfeit.seat)
    times = (forfeit.charged_ms, _answered(forfeit), None, *_server(forfeit))
    refused = refused_words(forfeit.refused_steps, forfeit.refused_left_out)
    sent = f"sent was {refused}" if refused else ""
    told = filter(None, [str(forfeit.detail), sent, forfeit_times(forfeit, report)])
    detail = "; ".join(told)
    return forfeit.turn, bot, said, *times, detail


def _answered(event: MatchEvent) -> str | None:
    return _milliseconds(event.flushed_us, event.last_byte_us)


def _server(event: MatchEvent) -> tuple[str | None, str | None]:
    """How long sending took, and how late the server was at most."""
    return _milliseconds(event.queued_us, event.flushed_us), _milliseconds(0, event.loop_delay_us)


def _bot(record: MatchRecord, seat: int) -> str:
    players = record.setup.players
    return f"{seat} {players[seat] if seat < len(players) else '?'}"


def _milliseconds(begin_us: int | None, end_us: int | None) -> str | None:
    """The time between, None where one end is not known."""
    return None if begin_us is None or end_us is None else f"{(end_us - begin_us) / 1000:.1f}"


def clock_words(clock: Clock) -> str:
    """A clock in words: ``60000 ms for the match, 500 ms more after each turn``."""
    words = [
        (clock.initial_ms, "{} ms for the match"),
        (clock.increment_ms, "{} ms more after each turn"),
        (clock.move_ms, "at most {} ms for a turn"),
    ]
    return ", ".join(form.format(value) for value, form in words if value is not None)


def _untimed_words(untimed: Sequence[int]) -> str:
    seats = " and ".join(str(seat) for seat in untimed)
    return f"; not for seat {seats}, which is untimed" if seats else ""


def _software(software: Software | None) -> str | None:
    if software is None:
        return None
    return " ".join(filter(None, [software.name, software.version, software.language])) or None


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
