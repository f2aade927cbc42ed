"""What users start, as they start it: ``polynya match``, ``tournament run`` and ``serve``.

The bots are the load generator's, which answer at once, connected like any other bot. Start and end
of a command are left out: each is run twice, with few and with many matches, and the difference
counts. Beside each stands the bare ping-pong with as many connections, in the same run.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO

from benchmarks.figures import Figure
from benchmarks.load import TOKEN, bots, running
from benchmarks.turns import ping_pong
from polynya_tournaments.store import Store
from polynya_tournaments.store.bots import registered_bots

POLYNYA = (sys.executable, "-c", "from polynya_tournaments.cli import main; main()")
TURNS = 54
"""Of a match of two in Packeis, on average."""

CLOCK = ("--move-ms", "60000")
LADDERS = (20, 200, 600)
WARM_UP_S = 3.0
LOOK_EVERY_S = 0.05
SHARE_OF_PING_PONG = 0.4
SHARE_AT_ONCE = 0.5


def measure(program: Path, seconds: float) -> list[Figure]:
    """The commands, with their goals."""
    figures = []
    for concurrency, goal in ((1, SHARE_OF_PING_PONG), (2, SHARE_AT_ONCE)):
        echoed = _echoed(program, concurrency, seconds)
        rate = _match_series(program, concurrency, seconds)
        figures += _compared(f"match, {concurrency} at once", rate, echoed, goal)
    echoed = _echoed(program, 4, seconds)
    rate = _tournament(program, seconds)
    figures += _compared("tournament of 8, 4 at once", rate, echoed, SHARE_AT_ONCE)
    for count in LADDERS:
        rate = _ladder(program, count, seconds)
        figures.append(Figure("as started", f"ladder of {count}, turns/s", rate, None, "higher"))
    return figures


def _compared(what: str, rate: float, echoed: float, goal: float) -> list[Figure]:
    return [
        Figure("as started", f"{what}, matches/s", rate / TURNS, None, "higher"),
        Figure("as started", f"{what}, turns/s", rate, None, "higher"),
        Figure("as started", f"{what}, turns/s / ping-pong's", rate / echoed, goal, "higher"),
    ]


def _echoed(program: Path, pairs: int, seconds: float) -> float:
    """Exchanges a second of the ping-pong."""
    with ping_pong(program, pairs) as bare:
        bare.run(seconds / 2)
        found: float = bare.figures()["turns_per_second"]
        return found


def _match_series(program: Path, concurrency: int, seconds: float) -> float:
    """Turns a second of ``polynya match``."""
    bot = f"{program} hosted"
    words = ("match", bot, bot, "--game", "packeis", "--concurrency", str(concurrency), "--json")

    def play(games: int) -> int:
        found = json.loads(_output([*words, *CLOCK, "--games", str(games)]))
        return int(found["played"])

    return _rate(play, seconds)


def _tournament(program: Path, seconds: float) -> float:
    """Turns a second of ``polynya tournament run`` with 8 bots, 4 matches at once."""
    with tempfile.TemporaryDirectory() as folder:

        def play(games: int) -> int:
            file = Path(folder) / f"cup-{games}.toml"
            entrants = "".join(
                f'[[bots]]\nname = "b{number}"\ncommand = ["{program}", "hosted"]\n'
                for number in range(8)
            )
            file.write_text(
                f'name = "cup-{games}"\ngame = "packeis"\nconcurrency = 4\n'
                f"cycles = {max(1, round(games / 56))}\nclock = {{ move_ms = 60_000 }}\n"
                f'database = "{folder}/cup-{games}.sqlite"\n{entrants}',
                encoding="utf-8",
            )
            found = json.loads(_output(["tournament", "run", str(file), "--json"]))
            return int(found["played"])

        return _rate(play, seconds)


def _rate(play: Callable[[int], int], seconds: float) -> float:
    """Turns a second of the matches that a longer run has more than a short one."""
    few, few_s = _timed(play, 20)
    some, some_s = _timed(play, 200)
    each_s = max(1e-4, (some_s - few_s) / (some - few))
    many = some + max(100, round(seconds / each_s))
    played, played_s = _timed(play, many)
    return TURNS * (played - few) / (played_s - few_s)


def _timed(play: Callable[[int], int], games: int) -> tuple[int, float]:
    begin_s = time.monotonic()
    played = play(games)
    return played, time.monotonic() - begin_s


def _ladder(program: Path, count: int, seconds: float) -> float:
    """Turns a second of ``polynya serve`` with bots that play two matches each at once."""
    slots = ("--concurrency", str(count))
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "ladder.sqlite"
        with Store.open(database, for_play=True) as store, store.database.writing() as connection:
            for number in range(count):
                token = sha256(TOKEN.encode()).digest()
                registered_bots.register(connection, f"b{number}", token)
        words = ("serve", "--port", "0", "--database", str(database), "--pace-ms", "0")
        log = Path(folder) / "log"
        with log.open("w") as written, running_server([*words, *CLOCK, *slots], written) as server:
            address = _address(server, log)
            with running(*bots(program, address, count, concurrency=2)):
                time.sleep(WARM_UP_S)
                before, begin_s = _ended(database), time.monotonic()
                time.sleep(seconds)
                played, wall_s = _ended(database) - before, time.monotonic() - begin_s
        return TURNS * played / wall_s


@contextmanager
def running_server(words: Sequence[str], log: IO[str]) -> Iterator[subprocess.Popen[bytes]]:
    """``polynya serve``, stopped at the end of the block; it writes its log into a file."""
    server = subprocess.Popen([*POLYNYA, *words], stderr=log)
    try:
        yield server
    finally:
        server.terminate()
        server.wait(timeout=60)


def _address(server: subprocess.Popen[bytes], log: Path) -> tuple[str, int]:
    """Where it listens, as soon as it says so."""
    while server.poll() is None:
        for line in log.read_text("utf-8").splitlines():
            if line.startswith("listening on "):
                host, _, port = line.split()[-1].rpartition(":")
                return host, int(port)
        time.sleep(LOOK_EVERY_S)
    sys.exit(f"polynya serve has ended: {log.read_text('utf-8')}")


def _ended(database: Path) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute(
            "SELECT count(*) FROM matches WHERE finished_ms IS NOT NULL"
        ).fetchone()
        return int(count)


def _output(words: Sequence[str]) -> str:
    done = subprocess.run([*POLYNYA, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"polynya {' '.join(words)}: {done.stderr}")
    return done.stdout
