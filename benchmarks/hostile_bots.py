"""Bots that answer after 20 ms, and hostile ones of each kind, as one process of many connections.

``python -m benchmarks.hostile_bots PORT KIND COUNT NAME``; the names are NAME-0, NAME-1 and so on.
They speak the bytes of the protocol by msgpack alone. It ends when it is killed.
"""

from __future__ import annotations

import itertools
import struct
import sys
from typing import Any

import msgpack  # type: ignore[import-untyped]
import trio

TURN_S = 0.02
QUICK_MATCHES = 10
"""Matches that a slow bot plays first, to be paired with all others."""
KINDS = {
    "never ready": "never says ready",
    "silent": "says ready, and nothing more",
    "reconnecting": "breaks off in each match, and is back at once",
    "refusing": "resigns before each match",
    "illegal": "plays only illegal moves",
    "not reading": "reads nothing any more after its welcome",
    "concurrency 64": "takes 64 matches at once, and never says ready",
    "slow": "plays ten matches, then takes 64 at once and thinks nearly to the end of its clock",
    "registering": "comes under new names without end, and never says ready",
}
"""The hostile kinds by name; and ``honest``."""

Message = dict[str, Any]


class Peer:
    """One bot: connected, and again when it was dropped."""

    def __init__(self, port: int, kind: str, name: str) -> None:
        self._port = port
        self._kind = kind
        self._name = name
        self._token: str | None = None
        self._numbers = itertools.count()
        self._sending = trio.Lock()
        self._begun = 0

    async def run(self) -> None:
        """Be there for ever."""
        while True:
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", self._port)
                async with stream, trio.open_nursery() as nursery:
                    await self._send(stream, self._hello())
                    await self._talk(stream, nursery)
                    nursery.cancel_scope.cancel()
            except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            hurried = self._kind in ("reconnecting", "registering", "concurrency 64")
            await trio.sleep(0.05 if hurried else 1)

    def _hello(self) -> Message:
        name = self._name
        if self._kind == "registering":
            name, self._token = f"{name}-{next(self._numbers)}", None
        hello: Message = {"type": "hello", "protocol": 1, "name": name, "wants": ["legal"]}
        if self._kind in ("concurrency 64", "slow"):
            hello["concurrency"] = 64
        if self._token is not None:
            hello["token"] = self._token
        return hello

    async def _talk(self, stream: trio.SocketStream, nursery: trio.Nursery) -> None:
        """Answer until the connection is over."""
        buffer = bytearray()
        while True:
            while len(buffer) < 4 or len(buffer) < 4 + struct.unpack(">I", buffer[:4])[0]:
                data = await stream.receive_some(65536)
                if not data:
                    return
                buffer += data
            end = 4 + struct.unpack(">I", buffer[:4])[0]
            message: Message = msgpack.unpackb(bytes(buffer[4:end]))
            del buffer[:end]
            if message["type"] == "welcome":
                self._token = message.get("token") or self._token
                if self._kind == "not reading":
                    await trio.sleep_forever()
                if self._kind == "registering":
                    await trio.sleep(0.2)
                    return
            elif message["type"] == "ping":
                await self._send(stream, {"type": "pong", "nonce": message["nonce"]})
            elif message["type"] == "match_start" and not await self._begin(stream, message):
                return
            elif message["type"] == "turn":
                nursery.start_soon(self._move, stream, message)

    async def _begin(self, stream: trio.SocketStream, message: Message) -> bool:
        """Answer a match that begins; whether to stay."""
        self._begun += 1
        if self._kind == "reconnecting":
            return False
        if self._kind == "refusing":
            await self._send(stream, {"type": "resign", "match": message["match"]})
        elif self._kind in ("honest", "silent", "illegal", "slow"):
            await self._send(stream, {"type": "ready", "match": message["match"]})
        return True

    async def _move(self, stream: trio.SocketStream, message: Message) -> None:
        if self._kind == "illegal":
            steps: Any = [["fly"]]
        elif self._kind in ("honest", "slow"):
            await trio.sleep(TURN_S if self._kind == "honest" else self._thinking_s(message))
            steps = [message["legal"][message["turn"] * 7 % len(message["legal"])]]
        else:
            return
        move = {"type": "move", "match": message["match"], "turn": message["turn"], "steps": steps}
        await self._send(stream, move)

    def _thinking_s(self, message: Message) -> float:
        """Half of the time that is left, down to a second: soon nearly all of it is used."""
        quick = self._begun <= QUICK_MATCHES
        return TURN_S + (0 if quick else max(0.0, float(message["remaining_ms"]) / 1000 - 1) / 2)

    async def _send(self, stream: trio.SocketStream, message: Message) -> None:
        data = msgpack.packb(message)
        async with self._sending:
            await stream.send_all(struct.pack(">I", len(data)) + data)


async def main(port: int, kind: str, count: int, name: str) -> None:
    """Run a number of bots of one kind."""
    async with trio.open_nursery() as nursery:
        for number in range(count):
            nursery.start_soon(Peer(port, kind, f"{name}-{number}").run)


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4])
