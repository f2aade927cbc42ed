"""How late a server is with 1,000 matches when half of the turns come that it could serve.

How many it could is measured right before, because the same program serves a third more in one
minute than in the next on a virtual machine. Both three times, a minute of half load altogether.

The bots stand for other machines, so they have a processor of their own
(:func:`benchmarks.processes.keep_apart`).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.turns import referee

MATCHES = 1_000
TIMES = 3
LONGER = 5
"""How much longer the half load is measured than the full one."""


def measure(program: Path, seconds: float) -> list[Figure]:
    """Delays, with their goals: medians of the three times, and the longest pause of all."""
    found = [_half_of_what_is_possible(program, seconds) for _ in range(TIMES)]
    transactions = max(each["transactions_per_50_ms"] for each in found)
    figures = [
        Figure("half load", "turns/s at full load", _median(found, "most"), None, "higher"),
        Figure("half load", "turns/s", _median(found, "turns_per_second"), None, "higher"),
        Figure("half load", "transactions per 50 ms", transactions),
        *_lateness(found, "", ""),
    ]
    if all("undisturbed_s" in each for each in found):
        what = "s of them in which the host kept nothing"
        undisturbed_s = sum(each["undisturbed_s"] for each in found)
        figures.append(Figure("half load", what, undisturbed_s, None, "higher"))
        figures += _lateness(found, "undisturbed_", " in these")
    return figures


def _half_of_what_is_possible(program: Path, seconds: float) -> dict[str, Any]:
    """The server's figures at half load, and ``most``: its turns a second at full load before.

    Each turn takes the bots half to one and a half times as long, at random: if all took the same
    time, the moves of all matches would go on coming in the crowd in which they began.
    """
    with referee(program, MATCHES, apart=True) as full:
        full.run(seconds)
        most: float = full.figures()["turns_per_second"]
    delay_us = int(MATCHES / (most / 2) * 1e6)
    with referee(program, MATCHES, delay_us=delay_us, apart=True) as half:
        half.run(LONGER * seconds)
        return {"most": most, **half.figures()}


def _median(found: Sequence[dict[str, Any]], name: str) -> float:
    values: list[float] = [each[name] for each in found]
    return statistics.median(values)


def _lateness(found: Sequence[dict[str, Any]], prefix: str, when: str) -> list[Figure]:
    p50, p99 = (_median(found, f"{prefix}move_to_turn_{centile}_ms") for centile in ("p50", "p99"))
    pause = max(each[f"{prefix}loop_pause_max_ms"] for each in found)
    return [
        Figure("half load", f"ms from move to next turn{when}, p50", p50, 0.2),
        Figure("half load", f"ms from move to next turn{when}, p99", p99, 5),
        Figure("half load", f"ms of the loop's longest pause{when}", pause, 10),
    ]
