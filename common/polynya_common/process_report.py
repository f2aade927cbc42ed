"""The resources of a bot's process in one match, and its end: for the host and the owner."""

from __future__ import annotations

import msgspec

from polynya_common.reasons import Cause


class ProcessReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A process that the host started, in one match.

    Attributes:
        sandbox: what it ran in.
        core: the processor core that it was pinned to; None for none.
        cpu_ms: the processor time of each of the bot's turns, pairs of the turn's number and ms;
            empty where it was not counted.
        peak_bytes: the most memory that it used since its start; None if its sandbox does not
            count it and it has not ended.
        limits: the limits that it has met since its start, each in words.
        ended: how it ended in this match, in words; None if it did not.
        code: its exit code then, negative for a signal.
        last_received: its last answer that the server received in this match, in words; None for
            none.
        last_lines: what it had written last.
    """

    sandbox: str = "none"
    core: int | None = None
    cpu_ms: list[tuple[int, int]] = []
    peak_bytes: int | None = None
    limits: list[Cause] = []
    ended: Cause | None = None
    code: int | None = None
    last_received: Cause | None = None
    last_lines: list[str] = []


def turns_words(report: ProcessReport) -> str:
    """The turns of a process in a match: its last message, its processor time."""
    last = report.last_received
    received = "it sent no answer" if last is None else f"its last message was {last}"
    used = f"processor time: {cpu_words(report)}" if report.cpu_ms else ""
    return "; ".join(filter(None, [received, used]))


def cpu_words(report: ProcessReport) -> str:
    """The processor time of its turns, in words; empty if it was not counted."""
    if not report.cpu_ms:
        return ""
    times = [ms for _, ms in report.cpu_ms]
    turn, most = max(report.cpu_ms, key=lambda pair: pair[1])
    last = "" if turn == report.cpu_ms[-1][0] else f", {times[-1]} ms in its last turn"
    mean = round(sum(times) / len(times))
    return f"{mean} ms a turn, at most {most} ms in turn {turn}{last}"


def cpu_ms_of(report: ProcessReport | None, turn: int) -> int | None:
    """The processor time of a turn; None if it was not counted."""
    return None if report is None else dict(report.cpu_ms).get(turn)


def turn_time_words(wall_ms: int | None, cpu_ms: int | None) -> str:
    """How long a turn took; processor time far below wall time means waiting or a busy machine."""
    times = (("wall time", wall_ms), ("processor time", cpu_ms))
    return ", ".join(f"{name} {ms} ms" for name, ms in times if ms is not None)


encode_report = msgspec.json.Encoder().encode
decode_report = msgspec.json.Decoder(ProcessReport).decode
