"""Checks the times in a replay against each other and against the charges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from polynya_common.reasons import reason_of
from polynya_server.match.late_answer import is_server_fault
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord

CLOCKS_MS = 1000
"""Maximum difference between a machine's clocks: that of the network card, the wall clock and the
monotonic clock."""

_TOLD = {"late": ("turn", "charged_ms", "limit_ms", "over_ms"), "no_answer": ("turn", "limit_ms")}
"""The fields of timeout reasons that repeat recorded times."""

_US_PER_MS = 1000
_NS_PER_US = 1000


def turn_times(turn: TurnRecord) -> Iterator[str]:
    """Find contradictions in the times of a turn (recorded in whole microseconds)."""
    yield from _in_order(turn)
    elapsed_us = max(0, turn.last_byte_us - turn.flushed_us)
    if turn.charged_ms * _US_PER_MS > elapsed_us + 1:
        yield f"{turn.charged_ms} ms were charged for {elapsed_us} microseconds"


def forfeit_times(forfeit: ForfeitRecord) -> Iterator[str]:
    """Find contradictions in the times of a forfeit."""
    yield from _in_order(forfeit)
    used, limit = forfeit.charged_ms, forfeit.limit_ms
    if (used is None) != (limit is None) or (used is not None and used < 0):
        yield f"{used} ms had been used of {limit} ms"
    if forfeit.kernel and forfeit.first_byte_us is None:
        yield "the kernel has the times of an answer, but none came"
    if forfeit.reason == "illegal_move" and (used or 0) > (limit or 0):
        yield f"an illegal turn, but it came late: {used} ms had been used of {limit} ms"
    if None not in (used, forfeit.flushed_us, forfeit.last_byte_us):
        elapsed_us = forfeit.last_byte_us - forfeit.flushed_us  # type: ignore[operator]
        if used * _US_PER_MS > elapsed_us + 1:  # type: ignore[operator]
            yield f"{used} ms had been used in {elapsed_us} microseconds"
    if forfeit.reason == "timeout":
        yield from _timeout(forfeit)


def _timeout(forfeit: ForfeitRecord) -> Iterator[str]:
    used, limit = forfeit.charged_ms, forfeit.limit_ms
    if used is None or limit is None or used <= limit:
        yield f"a timeout, but {used} ms had been used of {limit} ms"
    elif is_server_fault(used - limit, forfeit.loop_delay_us * _NS_PER_US):
        yield (
            f"a timeout by {used - limit} ms, but the server itself was late by "
            f"{forfeit.loop_delay_us} microseconds: such a match is annulled"
        )
    told = {
        "turn": forfeit.turn,
        "charged_ms": used,
        "limit_ms": limit,
        "over_ms": (used or 0) - (limit or 0),
    }
    why = reason_of(forfeit.detail)
    fields = _TOLD.get(why.code, ()) if why is not None else ()
    for name in fields:
        if why is not None and why.fields.get(name) != told[name]:
            yield f"its reason has {name} {why.fields.get(name)}, the record {told[name]}"


def _in_order(event: MatchEvent) -> Iterator[str]:
    """The recorded times of a turn's stages, in the order of the stages."""
    stages = (
        ("queued", event.queued_us),
        ("flushed", event.flushed_us),
        ("the first byte of the answer arrived", event.first_byte_us),
        ("the last byte of the answer arrived", event.last_byte_us),
    )
    if (stages[0][1] is None) != (stages[1][1] is None):
        yield "it was queued or flushed, but not both"
    if (stages[2][1] is None) != (stages[3][1] is None):
        yield "an answer has a first byte or a last one, but not both"
    known = [(name, time_us) for name, time_us in stages if time_us is not None]
    for (earlier, before_us), (later, after_us) in pairwise(known):
        if after_us < before_us:
            yield f"{later} before {earlier}"
    if event.loop_delay_us < 0 or any(time_us < 0 for _, time_us in known):
        yield "a time before the match began"


def match_times(record: MatchRecord) -> Iterator[str]:
    """Find contradictions between the times of events, and with the times of the match."""
    if record.started_ms < 0 or record.finished_ms < record.started_ms:
        yield f"the times: it ended at {record.finished_ms}, and began at {record.started_ms}"
    lasted_ms = record.finished_ms - record.started_ms + CLOCKS_MS
    last_us = earlier_us = turn = 0  # the end of all turns so far, and of those before this one
    for event in record.events:
        if event.turn != turn:
            turn, earlier_us = event.turn, last_us
        if event.queued_us is not None and event.queued_us + CLOCKS_MS * _US_PER_MS < earlier_us:
            yield (
                f"turn {event.turn}, seat {event.seat}: it was queued before the answer to an "
                "earlier turn had arrived"
            )
        last_us = max(last_us, _end_us(event))
        if event.loop_delay_us // _US_PER_MS > lasted_ms:
            yield f"turn {event.turn}, seat {event.seat}: a delay longer than the match"
    if last_us // _US_PER_MS > lasted_ms:
        yield (
            f"the times: its turns took {last_us // _US_PER_MS} ms, but it ended "
            f"{record.finished_ms - record.started_ms} ms after it began"
        )


def _end_us(event: MatchEvent) -> int:
    """The end of a turn, as far as its times tell."""
    if event.flushed_us is None:
        return 0
    return max(event.flushed_us + (event.charged_ms or 0) * _US_PER_MS, event.last_byte_us or 0)
