"""The commands of users, as users start them: ``polynya match`` and ``tournament run``.

``polynya serve`` is measured by :mod:`benchmarks.as_served`. The bots are the load generator's,
which answer at once, connected like any other bot. Start and end of a command are left out: each is
run twice, with few and with many matches, and the difference counts. Beside each stands the bare
ping-pong with as many connections, in the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import as_served
from benchmarks.as_served import CLOCK, POLYNYA
from benchmarks.figures import Figure
from benchmarks.kit_bots import kit_bot
from benchmarks.processes import Use, machine_use
from benchmarks.turns import TURNS_OF_A_MATCH, ping_pong

THINKING_MS = 10
THINKING_SHARE = 10
"""% of the machine."""
SHARE_OF_PING_PONG = 0.4
SHARE_AT_ONCE = 0.5
SHARE_OF_KITS = 0.3
WORKERS_SHARE = 1.4
"""Two local workers beside one process, with bots that answer at once."""
WORKERS_SHARE_THINKING = 0.95
"""The same with bots that think."""


def measure(program: Path, seconds: float) -> list[Figure]:
    """The commands, with their goals."""
    figures = []
    for concurrency, goal in ((1, SHARE_OF_PING_PONG), (2, SHARE_AT_ONCE)):
        echoed = _echoed(program, concurrency, seconds)
        rate = _match_series(f"{program} hosted", concurrency, seconds)
        figures += _compared(f"match, {concurrency} at once", rate, echoed, goal)
    figures += _kits(program, seconds)
    figures += _workers(program, seconds)
    echoed = _echoed(program, 4, seconds)
    rate = _tournament(program, seconds)
    figures += _compared("tournament of 8, 4 at once", rate, echoed, SHARE_AT_ONCE)
    return [*figures, *_thinking(program), *as_served.measure(program, seconds)]


def _compared(what: str, rate: float, echoed: float, goal: float) -> list[Figure]:
    return [
        Figure("as started", f"{what}, matches/s", rate / TURNS_OF_A_MATCH, None, "higher"),
        Figure("as started", f"{what}, turns/s", rate, None, "higher"),
        Figure("as started", f"{what}, turns/s / ping-pong's", rate / echoed, goal, "higher"),
    ]


def _echoed(program: Path, pairs: int, seconds: float) -> float:
    """Exchanges a second of the ping-pong."""
    with ping_pong(program, pairs) as bare:
        bare.run(seconds / 2)
        found: float = bare.figures()["turns_per_second"]
        return found


def _kits(program: Path, seconds: float) -> list[Figure]:
    """``polynya match`` with bots of a starter kit."""
    figures = []
    with kit_bot() as kit:
        for concurrency in (1, 2) if kit is not None else ():
            echoed = _echoed(program, concurrency, seconds)
            rate = _match_series(f"{kit}", concurrency, seconds)
            what = f"match of kits' bots, {concurrency} at once"
            figures += _compared(what, rate, echoed, SHARE_OF_KITS)
    return figures


def _workers(program: Path, seconds: float) -> list[Figure]:
    """``polynya match`` with two local workers of Dask beside the run with two matches at once."""
    figures = []
    for bot, what, goal in (
        (f"{program} hosted", "bots that answer at once", WORKERS_SHARE),
        (
            f"{program} hosted {1000 * THINKING_MS}",
            f"bots that think {THINKING_MS} ms",
            WORKERS_SHARE_THINKING,
        ),
    ):
        alone = _match_series(bot, 2, seconds)
        shared = _match_series(bot, 2, seconds, "--dask", "local", "--workers", "2")
        name = f"match with two local workers, {what}"
        figures += [
            Figure("as started", f"{name}, matches/s", shared / TURNS_OF_A_MATCH, None, "higher"),
            Figure("as started", f"{name} / without workers", shared / alone, goal, "higher"),
        ]
    return figures


def _match_series(bot: str, concurrency: int, seconds: float, *flags: str) -> float:
    """Turns a second of ``polynya match``."""
    words = ("match", bot, bot, "--game", "packeis", "--concurrency", str(concurrency), *flags)

    def play(games: int) -> int:
        found = json.loads(_output([*words, *CLOCK, "--json", "--games", str(games)]))
        return int(found["played"])

    return _rate(play, seconds)


def _tournament(program: Path, seconds: float) -> float:
    """Turns a second of ``polynya tournament run`` with 8 bots, 4 matches at once."""
    with tempfile.TemporaryDirectory() as folder:

        def play(games: int) -> int:
            file = _cup(Path(folder), [str(program), "hosted"], games)
            found = json.loads(_output(["tournament", "run", str(file), "--json"]))
            return int(found["played"])

        return _rate(play, seconds)


def _cup(folder: Path, bot: Sequence[str], games: int) -> Path:
    """The file of a tournament of 8 of the same bots, with about ``games`` matches."""
    file = folder / f"cup-{games}.toml"
    entrants = "".join(
        f'[[bots]]\nname = "b{number}"\ncommand = {json.dumps(bot)}\n' for number in range(8)
    )
    file.write_text(
        f'name = "cup-{games}"\ngame = "packeis"\nconcurrency = 4\nshare_cores = true\n'
        f"cycles = {max(1, round(games / 56))}\nclock = {{ move_ms = 60_000 }}\n"
        f'database = "{folder}/cup-{games}.sqlite"\n{entrants}',
        encoding="utf-8",
    )
    return file


def _thinking(program: Path) -> list[Figure]:
    """The part of the machine that the server takes from its thinking bots, in %.

    A tournament of 8 bots lasts for 8 seconds then, in which the start counts for as much as all
    matches.
    """
    bot = [str(program), "hosted", str(1000 * THINKING_MS)]
    with tempfile.TemporaryDirectory() as folder:

        def used(games: int) -> Use:
            file = _cup(Path(folder), bot, games)
            return machine_use([*POLYNYA, "tournament", "run", str(file)])

        once, thrice = used(56), used(3 * 56)
    what = f"tournament of bots that think {THINKING_MS} ms: % of the machine for the server"
    return [
        Figure("as started", what, thrice.more_than(once).share, THINKING_SHARE),
        Figure("as started", f"{what}, start included, 56 matches", once.share),
        Figure("as started", f"{what}, start included, 168 matches", thrice.share),
    ]


def _rate(play: Callable[[int], int], seconds: float) -> float:
    """Turns a second of the matches that a longer run has more than a short one."""
    few, few_s = _timed(play, 20)
    some, some_s = _timed(play, 200)
    each_s = max(1e-4, (some_s - few_s) / (some - few))
    many = some + max(100, round(seconds / each_s))
    played, played_s = _timed(play, many)
    return TURNS_OF_A_MATCH * (played - few) / (played_s - few_s)


def _timed(play: Callable[[int], int], games: int) -> tuple[int, float]:
    begin_s = time.monotonic()
    played = play(games)
    return played, time.monotonic() - begin_s


def _output(words: Sequence[str]) -> str:
    done = subprocess.run([*POLYNYA, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"polynya {' '.join(words)}: {done.stderr}")
    return done.stdout
