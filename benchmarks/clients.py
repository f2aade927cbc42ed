"""Microseconds per turn spent in each SDK, next to a bare Python socket.

``python -m benchmarks.clients [SDK ...] [--turns 2000]``: a bare loop on a blocking socket sends a
``turn`` with a position of one legal step, takes the time until the ``move`` is there, and sends
the next. What answers is the SDK's greedy bot, which has next to nothing to think about; the bare
socket answers as many bytes and does nothing else. What remains between them is the SDK: frames,
msgpack, the position as values of the language. The ratio carries over to another machine.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

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
from conformance import Sdk, is_here, registered

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
SECONDS = 20

_BARE = """
import socket, sys
sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
size, answer_size = int(sys.argv[2]), int(sys.argv[3])
answer = (answer_size - 4).to_bytes(4, "big") + bytes(answer_size - 4)
while True:
    missing = size
    while missing:
        data = sock.recv(65536)
        if not data:
            sys.exit()
        missing -= len(data)
    sock.sendall(answer)
"""


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
    sdks = [sdk for sdk in registered() if (not names or sdk.name in names) and is_here(sdk)]
    for sdk in sdks:
        if sdk.build:
            subprocess.run(sdk.build, cwd=sdk.folder, check=True, stdout=sys.stderr)
    return sdks


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sdks", nargs="*", help="only these, by their folders' names")
    parser.add_argument("--turns", type=int, default=2_000)
    arguments = parser.parse_intermixed_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    sdks = ready(arguments.sdks)
    bare = measure([sys.executable, "-c", _BARE], Path(), arguments.turns, bare=True)
    table = Table("", "us per turn", "over the bare socket", "ratio")
    table.add_row("bare Python socket", f"{bare:.0f}", "", "1.0")
    for sdk in sdks:
        took = measure(sdk.greedy, sdk.folder, arguments.turns)
        table.add_row(sdk.language, f"{took:.0f}", f"{took - bare:.0f}", f"{took / bare:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
