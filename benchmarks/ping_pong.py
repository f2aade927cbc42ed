"""The yardstick: a bare ping-pong over trio's SocketStream, frames of a turn's size, nothing else.

``python -m benchmarks.ping_pong PAIRS TO_BOT FROM_BOT`` prints its port, waits for two connections
a pair, lets each pair's connections answer in turn, says that it plays, and prints one JSON object
of its figures in the windows that it is asked for (:mod:`benchmarks.samples`).
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass

import trio

from benchmarks.samples import Samples, windows


@dataclass
class Count:
    """Turns so far."""

    turns: int = 0


async def _pair(
    streams: list[trio.SocketStream], frame: bytes, reply_bytes: int, count: Count
) -> None:
    mover = 0
    while True:
        stream = streams[mover]
        await stream.send_all(frame)
        missing = reply_bytes
        while missing:
            missing -= len(await stream.receive_some(65536))
        count.turns += 1
        mover = 1 - mover


async def measure(pairs: int, to_bot: int, from_bot: int) -> dict[str, object]:
    """Turns per second and CPU microseconds per turn of the bare exchange."""
    frame = (to_bot - 4).to_bytes(4, "big") + bytes(to_bot - 4)
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=4096)
    print(listener.socket.getsockname()[1], flush=True)
    streams = [await listener.accept() for _ in range(2 * pairs)]
    count = Count()
    samples = Samples(lambda: count.turns, time.process_time)
    async with trio.open_nursery() as nursery:
        for first in range(0, 2 * pairs, 2):
            nursery.start_soon(_pair, streams[first : first + 2], frame, from_bot, count)
        nursery.start_soon(samples.watch)
        print("playing", flush=True)
        figures = samples.figures(await windows())
        nursery.cancel_scope.cancel()
    return figures


if __name__ == "__main__":
    pairs, to_bot, from_bot = map(int, sys.argv[1:])
    print(json.dumps(trio.run(measure, pairs, to_bot, from_bot)))
