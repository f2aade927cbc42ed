"""The yardstick: a bare ping-pong over trio's SocketStream, frames of a turn's size, nothing else.

``python -m benchmarks.ping_pong PAIRS SECONDS TO_BOT FROM_BOT`` prints its port, waits for two
connections a pair, lets each pair's connections answer in turn, and prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass

import trio


@dataclass
class Count:
    """Turns so far, and whether to go on."""

    turns: int = 0
    going: bool = True


async def _pair(
    streams: list[trio.SocketStream], frame: bytes, reply_bytes: int, count: Count
) -> None:
    mover = 0
    while count.going:
        stream = streams[mover]
        await stream.send_all(frame)
        missing = reply_bytes
        while missing:
            missing -= len(await stream.receive_some(65536))
        count.turns += 1
        mover = 1 - mover


async def measure(pairs: int, seconds: float, to_bot: int, from_bot: int) -> dict[str, float]:
    """Turns per second and CPU microseconds per turn of the bare exchange."""
    frame = (to_bot - 4).to_bytes(4, "big") + bytes(to_bot - 4)
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=4096)
    print(listener.socket.getsockname()[1], flush=True)
    streams = [await listener.accept() for _ in range(2 * pairs)]
    count = Count()
    async with trio.open_nursery() as nursery:
        for first in range(0, 2 * pairs, 2):
            nursery.start_soon(_pair, streams[first : first + 2], frame, from_bot, count)
        await trio.sleep(seconds / 5)
        turns, cpu, wall = count.turns, time.process_time(), time.perf_counter()
        await trio.sleep(seconds)
        turns = count.turns - turns
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        count.going = False
    return {"turns_per_second": turns / wall, "cpu_us_per_turn": cpu * 1e6 / turns}


if __name__ == "__main__":
    pairs, seconds, to_bot, from_bot = sys.argv[1:]
    result = trio.run(measure, int(pairs), float(seconds), int(to_bot), int(from_bot))
    print(json.dumps(result))
