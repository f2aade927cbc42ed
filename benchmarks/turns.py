"""Turns per second and microseconds per turn of the referee, next to a bare ping-pong.

``python -m benchmarks.turns [--matches 1,64,500] [--rounds 20]``: for each number of matches the
bare trio SocketStream ping-pong and the referee run in turns with all others, a second each
(:mod:`benchmarks.alternation`), with the same load generator on the other end and frames of the
same size. The ratio is the figure that carries over to another machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import load
from benchmarks.alternation import WINDOW_S, Contender, contender
from benchmarks.figures import Figure
from benchmarks.referee import slots
from polynya_protocol.codec import encode
from polynya_protocol.messages import Move, Moved, Turn
from polynya_server.assembly import Mechanism

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
PER_PING_PONG = "turns / ping-pong's, 1,000 matches"
TURNS_OF_A_MATCH = 54
"""On average, with moves at random."""
EXPECTED_TURNS_PER_SECOND = 30_000
"""Only for how long a ramp is at full speed: about as long as a match."""


def ping_pong(program: Path, matches: int) -> AbstractContextManager[Contender]:
    """The bare exchange with as many connections as the matches have."""

    def echo(address: tuple[str, int]) -> list[list[str]]:
        return load.echo(program, address, 2 * matches, FROM_BOT)

    return contender(echo, "benchmarks.ping_pong", matches, TO_BOT, FROM_BOT)


@contextmanager
def referee(
    program: Path,
    matches: int,
    *,
    processes: int = 1,
    delay_us: int = 0,
    apart: bool = False,
    without: Sequence[Mechanism] = (),
    interpreted: bool = False,
) -> Iterator[Contender]:
    """The server with ``matches`` in play, two bots each, from ``processes`` processes.

    With a delay of the bots the pauses of the server's loop are looked for too. They may be kept
    ``apart`` from it, on a processor of their own. The server may be ``without`` some mechanisms
    for speed, or ``interpreted`` where the others are compiled.
    """

    def bots(address: tuple[str, int]) -> list[list[str]]:
        return load.bots(
            program,
            address,
            2 * matches,
            processes=processes,
            delay_us=delay_us,
            concurrency=slots(matches),
        )

    turn_s = delay_us / 1e6 or matches / EXPECTED_TURNS_PER_SECOND
    with tempfile.TemporaryDirectory() as folder:
        asked = [matches, turn_s * TURNS_OF_A_MATCH, Path(folder) / "benchmark.sqlite"]
        asked += ["--pauses"] if delay_us else []
        asked += [f"--without={name}" for name in without]
        with contender(
            bots, "benchmarks.referee", *asked, apart=apart, interpreted=interpreted
        ) as started:
            yield started


@dataclass(frozen=True)
class Compared:
    """The referee with a number of matches in play, next to the ping-pong, in turns with others.

    Attributes:
        bare: what the ping-pong did, by the names of ``samples.py``.
        played: what the referee did, by those of ``referee.py`` too.
    """

    matches: int
    bare: dict[str, Any]
    played: dict[str, Any]

    @property
    def cost(self) -> float:
        """Processor time of a turn, by that of the bare exchange."""
        ratio: float = self.played["cpu_us_per_turn"] / self.bare["cpu_us_per_turn"]
        return ratio

    @property
    def shares(self) -> list[float]:
        """Turns a second by the exchanges a second of the ping-pong, in each round."""
        rates = zip(self.played["rates"], self.bare["rates"], strict=True)
        return [played / bare for played, bare in rates]


def compare(program: Path, numbers: Sequence[int], rounds: int) -> list[Compared]:
    """Each number of matches in play and each ping-pong, all in turns."""
    with ExitStack() as stack:
        pairs = [
            (
                stack.enter_context(ping_pong(program, matches)),
                stack.enter_context(referee(program, matches)),
            )
            for matches in numbers
        ]
        for _ in range(rounds):
            for contender in itertools.chain.from_iterable(pairs):
                contender.run(WINDOW_S)
        return [
            Compared(matches, bare.figures(), played.figures())
            for matches, (bare, played) in zip(numbers, pairs, strict=True)
        ]


MATCHES = (16, 64, 256, 1000)
ROUNDS_PER_SECOND = 2.5
SHARES = {16: 0.6, 64: 0.6, 256: 0.8, 1000: 0.8}
"""The goals: turns a second by the exchanges a second of the bare ping-pong."""
SHARE_OF_TWO = 20_000 / 50_000
"""The same for two matches, by the ping-pong with as many connections as 1,000 matches have."""
MOST_P99_MS = 100
"""The goal for the slowest answers at full load with 1,000 matches."""


def measure(program: Path, seconds: float) -> list[Figure]:
    """The figures with their goals: by the number of matches, and with two."""
    found = compare(program, MATCHES, round(ROUNDS_PER_SECOND * seconds))
    return [
        *by_number(found),
        *two_matches(program, seconds),
    ]


def by_number(found: Sequence[Compared]) -> list[Figure]:
    """The cost and the number of turns, with each number of matches in play."""
    most = found[-1]
    in_play = min(each.played["mean_in_play"] / each.matches for each in found)
    costs = [
        Figure("turns", f"CPU of a turn / ping-pong, {each.matches} matches", each.cost, goal)
        for each in found
        for goal in [1.6 if each is most else None]
    ]
    shares = [
        Figure(
            "turns",
            f"turns / ping-pong's, {each.matches} matches",
            statistics.median(each.shares),
            SHARES.get(each.matches),
            "higher",
        )
        for each in found
    ]
    rates = [
        Figure("turns", f"{what}/s, {each.matches} matches", rate, None, "higher")
        for what, of in (("turns", "played"), ("ping-pong", "bare"))
        for each in found
        for rate in [getattr(each, of)["turns_per_second"]]
    ]
    p99 = most.played["move_to_turn_p99_ms"]
    return [
        *costs,
        *shares,
        *rates,
        Figure("turns", "in play / asked for, the least", in_play, None, "higher"),
        Figure("turns", f"ms from move to next turn, p99, {most.matches}", p99, MOST_P99_MS),
    ]


PAIRS = 3


def two_matches(program: Path, seconds: float) -> list[Figure]:
    """Two matches with a process for each bot, next to the ping-pong.

    Not stopped in between: the matches are so short that their transactions would not be those of
    a server that runs.
    """
    pairs = []
    for _ in range(PAIRS):
        with ping_pong(program, MATCHES[-1]) as bare:
            bare.run(seconds / 2)
            echoed = bare.figures()
        with referee(program, 2, processes=4) as played:
            played.run(seconds)
            pairs.append((played.figures(), echoed))
    rate = statistics.median(found["turns_per_second"] for found, _ in pairs)
    share = statistics.median(
        found["turns_per_second"] / echoed["turns_per_second"] for found, echoed in pairs
    )
    transactions = max(found["transactions_per_50_ms"] for found, _ in pairs)
    return [
        Figure("two matches", "turns/s, a process per bot", rate, None, "higher"),
        Figure("two matches", PER_PING_PONG, share, SHARE_OF_TWO, "higher"),
        Figure("two matches", "transactions per 50 ms", transactions),
    ]


def table(found: Sequence[Compared]) -> Table:
    """The comparison for people."""
    shown = Table(title=f"A turn: {TO_BOT} bytes to the bot, {FROM_BOT} back")
    for heading in ("matches", "in play", "ping-pong/s", "turns/s"):
        shown.add_column(heading, justify="right")
    for heading in ("ping-pong µs", "turn µs", "ratio"):
        shown.add_column(heading, justify="right")
    for heading in ("p50 ms", "p99 ms", "max ms"):
        shown.add_column(heading, justify="right")
    for each in found:
        bare, played = each.bare, each.played
        shown.add_row(
            str(each.matches),
            f"{played['mean_in_play']:,.0f}",
            f"{bare['turns_per_second']:,.0f}",
            f"{played['turns_per_second']:,.0f}",
            f"{bare['cpu_us_per_turn']:.1f}",
            f"{played['cpu_us_per_turn']:.1f}",
            f"{each.cost:.2f}",
            *(f"{played[f'move_to_turn_{name}_ms']:.2f}" for name in ("p50", "p99", "max")),
        )
    return shown


def _positive(text: str) -> int:
    """A whole number from 1.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _numbers(text: str) -> list[int]:
    """Such numbers with commas between them."""
    return [_positive(number) for number in text.split(",")]


def main() -> None:
    """Measure and print."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--matches", type=_numbers, default=[1, 64, 500], help="numbers of matches in play"
    )
    parser.add_argument("--rounds", type=_positive, default=20, help="of a second each")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    with load.compiled() as program:
        found = compare(program, arguments.matches, arguments.rounds)
    if arguments.json:
        print(json.dumps([asdict(each) for each in found], indent=2))
    else:
        Console().print(table(found))


if __name__ == "__main__":
    main()
