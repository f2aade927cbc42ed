"""What a process of a bot used in one match, and how it ended in it: for the host and its owner."""

from __future__ import annotations

import msgspec


class ProcessReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A process that the host started, in one match.

    Attributes:
        sandbox: what it ran in.
        core: the processor core that it was pinned to; None for none.
        cpu_ms: the processor time of each of the bot's turns, pairs of the turn's number and ms;
            empty where nobody counts it.
        peak_bytes: the most memory that it used since its start; None if its sandbox does not
            count it and it has not ended.
        limits: the limits that it has met since its start, each in words.
        ended: how it ended in this match, in words; None if it did not.
        code: its exit code then, negative for a signal.
        last_received: its last message that the server received in this match, in words.
        last_lines: what it had written last.
    """

    sandbox: str = "none"
    core: int | None = None
    cpu_ms: list[tuple[int, int]] = []
    peak_bytes: int | None = None
    limits: list[str] = []
    ended: str | None = None
    code: int | None = None
    last_received: str | None = None
    last_lines: list[str] = []


encode_report = msgspec.json.Encoder().encode
decode_report = msgspec.json.Decoder(ProcessReport).decode
