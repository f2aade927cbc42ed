"""All benchmarks in one run, with the goals beside the results: ``python -m benchmarks``.

``python -m benchmarks ablation`` prints instead what each mechanism for speed brings, ``python -m
benchmarks against COMMIT`` how fast commands play matches beside those of an older commit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from pathlib import Path

from rich.console import Console, RenderableType

from benchmarks import (
    ablation,
    against,
    as_started,
    codec,
    half_load,
    joint,
    load,
    pages,
    rules,
    start,
    turns,
    web,
)
from benchmarks.figures import Figure, as_json, table
from benchmarks.processes import Stolen
from polynya_app.version import version_line

ABLATION = "ablation"
AGAINST = "against"


def parts(program: Path, seconds: float) -> Mapping[str, Callable[[], list[Figure]]]:
    """The benchmarks by name, in the order in which they run."""
    return {
        "start": start.measure,
        "as-started": lambda: as_started.measure(program, seconds),
        "turns": lambda: turns.measure(program, seconds),
        "half-load": lambda: half_load.measure(program, seconds),
        "joint": joint.measure,
        "rules": lambda: rules.figures(rules.measure(seconds / 2)),
        "codec": codec.measure,
        "web": lambda: web.measure(program, seconds),
        "pages": pages.measure,
    }


def _of_the_machine(part: str, stolen: float | None) -> list[Figure]:
    """Why figures of a virtual machine may be worse than another time."""
    if stolen is None:
        return []
    return [Figure(part, "% of the processors' time that the host kept meanwhile", stolen)]


def _measure_parts(wanted: Collection[str], program: Path, seconds: float) -> list[Figure]:
    figures: list[Figure] = []
    for name, measure in parts(program, seconds).items():
        if not wanted or name in wanted:
            print(f"{name} ...", file=sys.stderr)
            stolen = Stolen()
            figures += measure()
            figures += _of_the_machine(name, stolen.percent())
    return figures


def _show(figures: list[Figure], *, in_json: bool) -> None:
    if in_json:
        print(json.dumps(as_json(figures), indent=2))
    else:
        Console().print(table(figures))


def main() -> None:
    """Run them and print."""
    parser = argparse.ArgumentParser(description="All benchmarks, with the goals beside them.")
    names = [*parts(Path(), 0), ABLATION]
    parser.add_argument(
        "parts",
        nargs="*",
        help=f"some of {', '.join(names)}; none for all but the last; or {AGAINST} COMMIT",
    )
    parser.add_argument("--seconds", type=float, default=4, help="how long a figure is measured")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--compiled", action="store_true", help=f"with {AGAINST}: build a wheel of both first"
    )
    parser.add_argument(
        "--all", action="store_true", help=f"with {AGAINST}: all of as-started, half an hour"
    )
    arguments = parser.parse_args()
    if arguments.parts[:1] == [AGAINST]:
        if len(arguments.parts) != 2:
            parser.error(f"{AGAINST} takes one commit")
        commit = arguments.parts[1]
        _show(
            against.measure(
                commit, arguments.seconds, compiled=arguments.compiled, everything=arguments.all
            ),
            in_json=arguments.json,
        )
        return
    for part in arguments.parts:
        if part not in names:
            parser.error(f"there is no part {part!r}: the parts are {', '.join(names)}")
    print(version_line(), file=sys.stderr)
    shown: RenderableType
    as_data: object
    with load.compiled() as program:
        if arguments.parts == [ABLATION]:
            rows = ablation.measure(program, arguments.seconds)
            shown = ablation.tables(rows)
            as_data = [asdict(row) for row in rows]
        elif ABLATION in arguments.parts:
            parser.error(f"{ABLATION} has a table of its own: run it alone")
        else:
            figures = _measure_parts(arguments.parts, program, arguments.seconds)
            shown, as_data = table(figures), as_json(figures)
    if arguments.json:
        print(json.dumps(as_data, indent=2))
    else:
        Console().print(shown)


if __name__ == "__main__":
    main()
