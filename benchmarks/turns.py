"""Turns per second and microseconds per turn of the referee, next to a bare ping-pong.

``python -m benchmarks.turns [--matches 1,64,500] [--seconds 5]``: for each number of matches the
bare trio SocketStream ping-pong and the referee are measured one after the other, with the same
load generator on the other end and frames of the same size. The ratio is the figure that carries
over to another machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import load
from benchmarks.figures import Figure
from benchmarks.processes import server
from benchmarks.referee import slots
from polynya_protocol.codec import encode
from polynya_protocol.messages import Move, Moved, Turn

MATCH = "load-100-1-100"
STEPS = [["move", 12, 40]]
MOVED = Moved(
    match=MATCH, seq=30, turn=30, seat=0, steps=STEPS, elapsed_ms=1, remaining_ms=[60_000, 60_000]
)
TURN = Turn(match=MATCH, seq=31, turn=31, remaining_ms=30_000)
MOVE = Move(match=MATCH, turn=31, steps=STEPS)
TO_BOT = len(encode(MOVED)) + len(encode(TURN))
"""Bytes that a turn sends to a bot: what the others played, and its turn."""
FROM_BOT = len(encode(MOVE))
"""Bytes that a bot answers."""
TURNS_OF_A_MATCH = 54
"""On average, with moves at random."""
EXPECTED_TURNS_PER_SECOND = 30_000
"""Only for how long a ramp is at full speed: about as long as a match."""


def ping_pong(program: Path, matches: int, seconds: float) -> dict[str, float]:
    """The bare exchange with as many connections as the matches have."""
    with (
        server("benchmarks.ping_pong", matches, seconds, TO_BOT, FROM_BOT) as (out, address, _),
        load.running(*load.echo(program, address, 2 * matches, FROM_BOT)),
    ):
        result: dict[str, float] = json.loads(out.readline())
    return result


def referee(
    program: Path, matches: int, seconds: float, *, processes: int = 1, delay_us: int = 0
) -> dict[str, float]:
    """The server with ``matches`` in play, two bots each, from ``processes`` processes.

    With a delay of the bots the pauses of the server's loop are looked for too.
    """
    turn_s = delay_us / 1e6 or matches / EXPECTED_TURNS_PER_SECOND
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "benchmark.sqlite"
        asked = [matches, seconds, turn_s * TURNS_OF_A_MATCH, database]
        asked += ["--pauses"] if delay_us else []
        with server("benchmarks.referee", *asked) as (out, address, _):
            commands = load.bots(
                program,
                address,
                2 * matches,
                processes=processes,
                delay_us=delay_us,
                concurrency=slots(matches),
            )
            with load.running(*commands):
                result: dict[str, float] = json.loads(out.readline())
    return result


def compare(program: Path, matches: int, seconds: float) -> dict[str, Any]:
    """Both in one run, the ratio of the CPU that they take per turn, and the share of the turns."""
    bare = ping_pong(program, matches, seconds)
    played = referee(program, matches, seconds)
    ratio = played["cpu_us_per_turn"] / bare["cpu_us_per_turn"]
    share = played["turns_per_second"] / bare["turns_per_second"]
    return {
        "matches": matches,
        "ping_pong": bare,
        "referee": played,
        "ratio": ratio,
        "share": share,
    }


MATCHES = (16, 64, 256, 1000)
ROUNDS = 3
"""So often each is compared, in turns: neighbours on the machine come and go within a minute."""
SHARE = 20_000 / 36_000
"""The goal: turns a second where the bare ping-pong makes so many exchanges."""


def measure(program: Path, seconds: float) -> list[Figure]:
    """The figures with their goals: by the number of matches, two matches, and at half load."""
    rounds, pairs = [], []
    for _ in range(ROUNDS):
        rounds.append({m: compare(program, m, seconds / 2) for m in MATCHES})
        pairs.append(referee(program, 2, seconds, processes=4))

    def medians(of: Callable[[dict[str, Any]], float]) -> dict[int, float]:
        return {m: statistics.median(of(results[m]) for results in rounds) for m in MATCHES}

    rates = medians(lambda result: result["referee"]["turns_per_second"])
    bare = medians(lambda result: result["ping_pong"]["turns_per_second"])
    shares = medians(lambda result: result["share"])
    ratios = medians(lambda result: result["ratio"])
    in_play = medians(lambda result: result["referee"]["mean_in_play"] / result["matches"])
    figures = [
        Figure("turns", f"CPU of a turn / ping-pong, {m} matches", ratio, goal)
        for m, ratio in ratios.items()
        for goal in [1.6 if m == MATCHES[-1] else None]
    ]
    figures += [
        *(Figure("turns", f"turns/s, {m} matches", r, None, "higher") for m, r in rates.items()),
        Figure("turns", "in play / asked for, the least", min(in_play.values()), None, "higher"),
        Figure("turns", "turns / ping-pong's, 1,000 matches", shares[1000], SHARE, "higher"),
        Figure("turns", "least / best rate", least_of_best(rates), 0.9, "higher"),
        Figure(
            "turns", "least / best of turns / ping-pong's", least_of_best(shares), None, "higher"
        ),
        Figure("turns", "ping-pong/s, 1,000 matches", bare[1000], None, "higher"),
    ]
    figures += two_matches(pairs, [results[1000]["ping_pong"] for results in rounds])
    return figures + at_half_load(program, rates[1000], 15 * seconds)


def least_of_best(rates: dict[int, float]) -> float:
    """How much is left where it is least."""
    return min(rates.values()) / max(rates.values())


def two_matches(
    played: Sequence[dict[str, float]], bare: Sequence[dict[str, float]]
) -> list[Figure]:
    """Two matches with a process for each bot, and the ping-pong right before each run."""
    rate = statistics.median(found["turns_per_second"] for found in played)
    share = statistics.median(
        found["turns_per_second"] / echoed["turns_per_second"]
        for found, echoed in zip(played, bare, strict=True)
    )
    transactions = max(found["transactions_per_50_ms"] for found in played)
    return [
        Figure("two matches", "turns/s, a process per bot", rate, None, "higher"),
        Figure("two matches", "turns / ping-pong's, 1,000 matches", share, SHARE, "higher"),
        Figure("two matches", "transactions per 50 ms", transactions, 1),
    ]


def at_half_load(program: Path, most: float, seconds: float) -> list[Figure]:
    """Delays with 1,000 matches whose bots think so long that ``most`` / 2 turns a second come.

    Each turn takes them half of that to one and a half times as long, at random: if all took the
    same time, the moves of all matches would go on coming in the crowd in which they began.
    """
    delay_us = int(1000 / (most / 2) * 1e6)
    found = referee(program, 1000, seconds, delay_us=delay_us)
    figures = [
        Figure("half load", "turns/s", found["turns_per_second"], None, "higher"),
        Figure("half load", "transactions per 50 ms", found["transactions_per_50_ms"], 1),
        *_lateness(found, "", ""),
    ]
    if "undisturbed_s" in found:
        what = "s of them in which the host kept nothing"
        figures.append(Figure("half load", what, found["undisturbed_s"], None, "higher"))
        figures += _lateness(found, "undisturbed_", " in these")
    return figures


def _lateness(found: dict[str, float], prefix: str, when: str) -> list[Figure]:
    p50, p99 = (found[f"{prefix}move_to_turn_{centile}_ms"] for centile in ("p50", "p99"))
    pause = found[f"{prefix}loop_pause_max_ms"]
    return [
        Figure("half load", f"ms from move to next turn{when}, p50", p50, 0.2),
        Figure("half load", f"ms from move to next turn{when}, p99", p99, 5),
        Figure("half load", f"ms of the loop's longest pause{when}", pause, 10),
    ]


def table(results: list[dict[str, Any]]) -> Table:
    """The comparison for people."""
    shown = Table(title=f"A turn: {TO_BOT} bytes to the bot, {FROM_BOT} back")
    for heading in ("matches", "in play", "ping-pong/s", "turns/s"):
        shown.add_column(heading, justify="right")
    for heading in ("ping-pong µs", "turn µs", "ratio"):
        shown.add_column(heading, justify="right")
    for heading in ("p50 ms", "p99 ms", "max ms"):
        shown.add_column(heading, justify="right")
    for result in results:
        bare, played = result["ping_pong"], result["referee"]
        shown.add_row(
            str(result["matches"]),
            f"{played['mean_in_play']:,.0f}",
            f"{bare['turns_per_second']:,.0f}",
            f"{played['turns_per_second']:,.0f}",
            f"{bare['cpu_us_per_turn']:.1f}",
            f"{played['cpu_us_per_turn']:.1f}",
            f"{result['ratio']:.2f}",
            *(f"{played[f'move_to_turn_{name}_ms']:.2f}" for name in ("p50", "p99", "max")),
        )
    return shown


def main() -> None:
    """Measure and print."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--matches", default="1,64,500", help="numbers of matches in play")
    parser.add_argument("--seconds", type=float, default=5, help="how long each is measured")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    with load.compiled() as program:
        results = [
            compare(program, int(matches), arguments.seconds)
            for matches in arguments.matches.split(",")
        ]
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        Console().print(table(results))


if __name__ == "__main__":
    main()
