"""How long commands take to start, as multiples of ``python -c 'import trio, msgspec'``.

Each is run in turns with that import, and the medians are compared. ``match`` counts until its
first bot has the first ``turn``, the start of that bot (sockets only) included; ``serve`` until it
listens.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.figures import Figure

ROUNDS = 7
POLYNYA = [sys.executable, "-c", "from polynya_app import main; main()"]
FIRST_TURN = """
import os, socket
with socket.create_connection((os.environ["POLYNYA_HOST"], int(os.environ["POLYNYA_PORT"]))) as own:
    def send(words):
        own.sendall(len(words).to_bytes(4, "big") + words)
    def text(words):
        return bytes([0xD9, len(words)]) + words.encode()
    token, match, seen = os.environ["POLYNYA_TOKEN"], None, b""
    send(b"\\x83" + b"".join(map(text, ("type", "hello", "protocol"))) + b"\\x01"
         + text("token") + text(token))
    while b"\\xa4turn" not in seen:
        seen = own.recv(65536)
        if b"match_start" in seen:
            place = seen.index(b"\\xa5match") + 6
            size = seen[place] & 31 if seen[place] < 0xC0 else seen[place + 1]
            place += 1 if seen[place] < 0xC0 else 2
            match = seen[place:place + size].decode()
            send(b"\\x82" + b"".join(map(text, ("type", "ready", "match", match))))
open(os.environ["FIRST_TURN"], "w").close()
"""


def measure() -> list[Figure]:
    """All commands, with their goals."""
    return [
        Figure("start", f"{what} / import of trio and msgspec", ratio(command), goal)
        for what, command, goal in (
            ("--help", help_page, 2.5),
            ("match, to its first turn", match, 5.0),
            ("serve, until it listens", serve, 6.0),
            ("new-bot", new_bot, 3.0),
        )
    ]


def ratio(command: Callable[[Path], float]) -> float:
    """The median time of a command by that of the import, run in turns."""
    imports, starts = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            own = Path(folder) / str(number)
            own.mkdir()
            imports.append(_ended([sys.executable, "-c", "import trio, msgspec"], own))
            starts.append(command(own))
    return statistics.median(starts) / statistics.median(imports)


def help_page(folder: Path) -> float:
    """Seconds of ``polynya --help``."""
    return _ended([*POLYNYA, "--help"], folder)


def new_bot(folder: Path) -> float:
    """Seconds of ``polynya new-bot``."""
    return _ended([*POLYNYA, "new-bot", "mine"], folder)


def match(folder: Path) -> float:
    """Seconds until a bot has its first turn."""
    mark, program = folder / "first", folder / "bot.py"
    program.write_text(FIRST_TURN)
    bot = f"env FIRST_TURN={mark} {sys.executable} -S {program}"
    return _until(["match", bot, "random", "--games", "1"], folder, mark.exists)


def serve(folder: Path) -> float:
    """Seconds until a server listens."""
    said = folder / "said"
    return _until(["serve", "--port", "0"], folder, lambda: "listening on" in said.read_text())


def _ended(command: list[str], folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return time.perf_counter() - began


def _until(words: list[str], folder: Path, has_come: Callable[[], bool]) -> float:
    began = time.perf_counter()
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(
            [*POLYNYA, *words], cwd=folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL
        )
        try:
            while not has_come():
                if process.poll() is not None:
                    raise RuntimeError((folder / "said").read_text())
                time.sleep(0.002)
            return time.perf_counter() - began
        finally:
            process.terminate()
            process.wait()
