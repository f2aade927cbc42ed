"""Memory: of connections that only wait, and of matches in play.

``python -m benchmarks.held CONNECTIONS MATCHES`` prints its port, waits for the bots, holds
them for four heartbeats of a second, then plays the matches among the first of them, half through,
and prints one JSON object.
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
import time
from pathlib import Path

import trio

from benchmarks import load
from benchmarks.figures import Figure
from benchmarks.processes import allow_many_files, resident_bytes, server
from benchmarks.referee import CLOCK, quiet
from polynya_server import MatchSetup, ServerSettings, open_server
from polynya_server.records import MemoryJournal

HEARTBEAT_MS = 1_000
TURNS_DELAY_MS = 100
HALF_A_MATCH_S = 3
"""With the delay a match has then had thirty of its 55 to 60 turns."""


async def hold(connections: int, matches: int) -> dict[str, float]:
    """Bytes per connection and per match, and how long accepting took."""
    journal = MemoryJournal()
    token_hash = hashlib.sha256(load.TOKEN.encode()).digest()
    for number in range(connections):
        await journal.register(f"b{number}", token_hash)
    settings = ServerSettings(
        heartbeat_ms=HEARTBEAT_MS,
        max_connections=connections + 8,
        max_connections_per_address=connections + 8,
    )
    async with open_server(settings, journal) as running, trio.open_nursery() as nursery:
        before = resident_bytes()
        print(running.port, flush=True)
        while not running.connections:
            await trio.sleep(0.001)
        began = time.perf_counter()
        while running.connections < connections:
            await trio.sleep(0.001)
        accepted_s = time.perf_counter() - began
        await trio.sleep(4.5 * HEARTBEAT_MS / 1000)
        held, idle = len(running.connected), resident_bytes()
        for pair in range(matches):
            names = (f"b{2 * pair}", f"b{2 * pair + 1}")
            setup = MatchSetup(
                match=f"m-{pair}", game="packeis", players=names, clock=CLOCK, seed=pair
            )
            nursery.start_soon(running.play, setup)
        await trio.sleep(HALF_A_MATCH_S)
        in_play, playing = running.in_play, resident_bytes()
        nursery.cancel_scope.cancel()
    return {
        "accepted_s": accepted_s,
        "held": held,
        "bytes_per_connection": (idle - before) / connections,
        "in_play": in_play,
        "bytes_per_match": (playing - idle) / matches,
    }


def measure(program: Path, connections: int = 9_900, matches: int = 1_000) -> list[Figure]:
    """The figures with their goals."""
    allow_many_files()
    with server("benchmarks.held", connections, matches) as (out, address, _):
        commands = load.bots(program, address, connections, delay_us=TURNS_DELAY_MS * 1000)
        with load.running(*commands):
            found = json.loads(out.readline())
    return [
        Figure("memory", f"s to accept {connections} bots", found["accepted_s"], 1),
        Figure("memory", "of them held and pinged", found["held"], connections, "higher"),
        Figure("memory", "KiB per idle connection", found["bytes_per_connection"] / 1024, 5),
        Figure("memory", "KiB per match in play", found["bytes_per_match"] / 1024, 40),
        Figure("memory", "matches in play then", found["in_play"]),
    ]


if __name__ == "__main__":
    quiet()
    gc.collect()
    print(json.dumps(trio.run(hold, int(sys.argv[1]), int(sys.argv[2]))))
