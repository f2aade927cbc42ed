"""The gain of each mechanism for speed: the server with it left out, next to the whole server.

All servers of a load run and stand still in turns, a second each (:mod:`benchmarks.alternation`),
so that a neighbour of the machine takes something from all of them. The loads are 16 and 1,000
matches of bots that answer at once, and 1,000 matches of bots that take so long that half of the
turns come that the whole server could serve. A mechanism is worth its code if one of the figures
loses a tenth without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table

from benchmarks.alternation import WINDOW_S
from benchmarks.turns import referee
from polynya_app.version import version_line
from polynya_server.assembly import MECHANISMS, Mechanism

FEW, MANY = 16, 1_000


@dataclass(frozen=True)
class Variant:
    """A server that is measured.

    Attributes:
        left_out: what the table says of it.
        without: the mechanisms that it has not.
        interpreted: whether it runs from the checkout while the others are compiled.
    """

    left_out: str
    without: tuple[Mechanism, ...] = ()
    interpreted: bool = False


def variants() -> list[Variant]:
    """The whole server, each mechanism left out alone, all of them, and compiling."""
    found = [
        Variant("nothing"),
        *[Variant(name, (name,)) for name in MECHANISMS],
        Variant("all of these", MECHANISMS),
    ]
    if version_line().endswith("(compiled)"):
        found.append(Variant("compiling", interpreted=True))
        found.append(Variant("all of these and compiling", MECHANISMS, interpreted=True))
    return found


@dataclass(frozen=True)
class Row:
    """The results of one variant: figures by the names of ``referee.py``.

    Attributes:
        left_out: what it was without.
        few, many: at full load, with 16 and with 1,000 matches.
        half: at half load, with 1,000 matches.
    """

    left_out: str
    few: Mapping[str, Any]
    many: Mapping[str, Any]
    half: Mapping[str, Any]


def measure(program: Path, seconds: float) -> list[Row]:
    """All variants, each for this number of seconds with each load."""
    rounds = max(1, round(seconds / WINDOW_S))
    few = _in_turns(program, FEW, rounds)
    many = _in_turns(program, MANY, rounds)
    delay_us = int(MANY / (many[0]["turns_per_second"] / 2) * 1e6)
    half = _in_turns(program, MANY, rounds, delay_us)
    return [
        Row(variant.left_out, *figures)
        for variant, *figures in zip(variants(), few, many, half, strict=True)
    ]


def _in_turns(
    program: Path, matches: int, rounds: int, delay_us: int = 0
) -> Sequence[Mapping[str, Any]]:
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                referee(
                    program,
                    matches,
                    delay_us=delay_us,
                    apart=delay_us > 0,
                    without=variant.without,
                    interpreted=variant.interpreted,
                )
            )
            for variant in variants()
        ]
        for _ in range(rounds):
            for server in servers:
                server.run(WINDOW_S)
        return [server.figures() for server in servers]


def tables(rows: Sequence[Row]) -> Group:
    """The rows for people: a table for each load, none wider than a terminal of 80 columns."""
    return Group(
        _table(f"{FEW} matches at full load", [(row.left_out, row.few) for row in rows]),
        _table(f"{MANY:,} matches at full load", [(row.left_out, row.many) for row in rows]),
        _table(f"{MANY:,} matches at half load", [(row.left_out, row.half) for row in rows]),
    )


def _table(load: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Table:
    shown = Table(title=f"{load}: {version_line()}", caption=" ")
    shown.add_column("left out")
    for heading in ("turns/s", "µs CPU a turn", "p50 ms", "p99 ms", "pause ms"):
        shown.add_column(heading, justify="right")
    for left_out, figures in rows:
        shown.add_row(
            left_out,
            f"{figures['turns_per_second']:,.0f}",
            f"{figures['cpu_us_per_turn']:.1f}",
            f"{figures['move_to_turn_p50_ms']:.2f}",
            f"{figures['move_to_turn_p99_ms']:.1f}",
            f"{figures['loop_pause_max_ms']:.1f}" if figures["loop_pause_max_ms"] else "",
        )
    return shown
