"""Microseconds per turn spent in each SDK, next to a bare socket in the same language.

``python -m benchmarks.clients [SDK ...] [--turns 2000]``: a bare loop on a blocking socket sends a
``turn`` with a position of one legal step, takes the time until the ``move`` is there, and sends
the next. The SDK's greedy bot answers, which has next to nothing to think about; the bare
socket (``bare/``) answers as many bytes and does nothing else. The difference is the
SDK: frames, msgpack, the position as values of the language. The ratio carries over to another
machine.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure
from polynya_protocol.codec import encode
from polynya_protocol.messages import (
    Clock,
    Goodbye,
    MatchStart,
    Player,
    Server,
    Turn,
    Welcome,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "clients"))
from conformance import Sdk, missing, registered

STATE = {
    "game": "packeis",
    "players": 2,
    "phase": "movement",
    "to_move": 0,
    "fish": [1, 1, *[0] * 57, 1],
    "penguins": [[0], [59]],
    "fish_caught": [40, 40],
    "floes_caught": [20, 20],
    "out": [False, False],
    "forfeited": [],
}
"""One penguin, which can slide to one floe."""
LEGAL = [["move", 0, 1]]
MOVE_BYTES = 41
"""About what a ``move`` of one step takes."""
WARM_UP = 500
SECONDS = 120

BARE = Path(__file__).parent / "bare"
BUILDS = {
    "bare.go": ["go", "build", "-o"],
    "bare.rs": ["rustc", "-O", "-o"],
    "bare.cpp": ["c++", "-std=c++20", "-O2", "-o"],
}
"""The compiler of a source, with the program's and the source's paths after it."""
STARTS = {"bare.py": [sys.executable], "bare.mjs": ["node"], "Bare.java": ["java"]}
"""The program that runs a source."""
SOURCES = {
    "C++": "bare.cpp",
    "Go": "bare.go",
    "Java": "Bare.java",
    "Rust": "bare.rs",
    "TypeScript": "bare.mjs",
}
"""The bare socket of each language; that of the others is in Python, as their SDKs are."""


@dataclass(frozen=True)
class Took:
    """Time of a turn, seen from the other end of the socket, median.

    Attributes:
        language: of the SDK.
        turn_us: with the SDK, in microseconds.
        bare_us: with a bare socket in the same language.
    """

    language: str
    turn_us: float
    bare_us: float


def turn(number: int) -> bytes:
    """The frame that asks for a turn."""
    message = Turn(
        match="m1", seq=number, turn=1_000 + number, remaining_ms=10_000, state=STATE, legal=LEGAL
    )
    return encode(message)


class Peer:
    """The server's end of a connection."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(SECONDS)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = sock
        self._stream = sock.makefile("rb")

    def take(self) -> None:
        """Read one frame."""
        length = int.from_bytes(self._exactly(4), "big")
        self._exactly(length)

    def _exactly(self, count: int) -> bytes:
        data = self._stream.read(count)
        if len(data) < count:
            raise SystemExit("the bot has closed the connection")
        return data

    def ask(self, frame: bytes) -> float:
        """Microseconds from sending a frame until its answer is there."""
        began = time.perf_counter_ns()
        self.socket.sendall(frame)
        self.take()
        return (time.perf_counter_ns() - began) / 1_000

    def leave(self) -> None:
        """Say goodbye and hang up."""
        self.socket.sendall(encode(Goodbye()))
        self.socket.shutdown(socket.SHUT_WR)

    def begin(self) -> None:
        """Hello, welcome, and a match."""
        self.take()
        self.socket.sendall(encode(WELCOME) + encode(MATCH_START))
        self.take()


WELCOME = Welcome(
    protocol=1,
    server=Server(name="benchmark", version="1"),
    bot="ada",
    session="s",
    heartbeat_ms=60_000,
    max_frame=65_536,
    matches=[],
)
MATCH_START = MatchStart(
    match="m1",
    seq=0,
    game="packeis",
    seat=0,
    players=[
        Player(seat=0, name="ada", rating=None),
        Player(seat=1, name="bob", rating=None),
    ],
    options={},
    clock=Clock(move_ms=10_000),
    state=STATE,
)


def measure(command: Sequence[str], folder: Path, turns: int, *, bare: bool = False) -> float:
    """The median time of a turn in microseconds, seen from the other end of the socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(SECONDS)
        port = str(listener.getsockname()[1])
        words = [*command, port, str(len(turn(1))), str(MOVE_BYTES)] if bare else command
        environment = {**os.environ, "POLYNYA_PORT": port, "POLYNYA_NAME": "ada"}
        with subprocess.Popen(words, cwd=folder, env=environment) as process:
            try:
                peer = Peer(listener.accept()[0])
                if not bare:
                    peer.begin()
                numbers = range(1, 1 + WARM_UP + turns)
                times = [peer.ask(turn(1 if bare else number)) for number in numbers]
                peer.leave()
                process.wait(SECONDS)
            finally:
                process.kill()
    return statistics.median(times[WARM_UP:])


def ready(names: Sequence[str]) -> list[Sdk]:
    """The SDKs of these names, or all, as far as their toolchain is here: built."""
    sdks = [
        sdk
        for sdk in registered()
        if sdk.greedy and (not names or sdk.name in names) and not missing(sdk)
    ]
    for sdk in sdks:
        if sdk.build:
            subprocess.run(sdk.build, cwd=sdk.home, check=True, stdout=sys.stderr)
    return sdks


def bare_command(source: str, folder: Path) -> list[str]:
    """The command of a bare socket; a program that must be compiled is put into ``folder``."""
    if source in STARTS:
        return [*STARTS[source], str(BARE / source)]
    program = folder / source.replace(".", "-")
    subprocess.run([*BUILDS[source], str(program), str(BARE / source)], check=True)
    return [str(program)]


def measure_all(names: Sequence[str] = (), turns: int = 2_000) -> list[Took]:
    """Time of a turn in the SDKs of these names, or all, and in their bare sockets."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bare: dict[str, float] = {}
    took: list[Took] = []
    with tempfile.TemporaryDirectory() as folder:
        for sdk in ready(names):
            source = SOURCES.get(sdk.language, "bare.py")
            if source not in bare:
                command = bare_command(source, Path(folder))
                bare[source] = measure(command, Path(), turns, bare=True)
            turn_us = measure(sdk.greedy, sdk.home, turns)
            took.append(Took(sdk.language, turn_us, bare[source]))
    return took


def figures() -> list[Figure]:
    """The ratios, for the table of all benchmarks."""
    return [
        Figure("clients", f"{took.language}: turn / bare socket's", took.turn_us / took.bare_us)
        for took in measure_all()
    ]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sdks", nargs="*", help="only these, by their names")
    parser.add_argument("--turns", type=int, default=2_000)
    arguments = parser.parse_intermixed_args()
    table = Table("", "us per turn", "bare socket", "in the SDK", "ratio")
    for took in measure_all(arguments.sdks, arguments.turns):
        own = f"{took.turn_us - took.bare_us:.0f}"
        ratio = f"{took.turn_us / took.bare_us:.1f}"
        table.add_row(took.language, f"{took.turn_us:.0f}", f"{took.bare_us:.0f}", own, ratio)
    Console().print(table)


if __name__ == "__main__":
    main()
