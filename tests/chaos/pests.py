"""Peers that are no bots: connections that cost a server something and bring it nothing."""

from __future__ import annotations

import random
import socket
from collections.abc import Awaitable, Callable

import trio
from tests.chaos.proxy import LINGER_ZERO
from tests.scripted import RawClient, frame
from tests.scripted.raw_client import connected

STAY_S = 2.0


async def never_say_hello(peer: RawClient, chance: random.Random) -> None:
    del peer
    await trio.sleep(chance.uniform(0, STAY_S))


async def say_half_a_hello(peer: RawClient, chance: random.Random) -> None:
    await peer.send_bytes(frame({"type": "hello", "protocol": 1, "role": "spectator"})[:9])
    await trio.sleep(chance.uniform(0, STAY_S))


async def send_noise(peer: RawClient, chance: random.Random) -> None:
    await peer.send_bytes(chance.randbytes(chance.randint(1, 70_000)))


async def guess_a_token(peer: RawClient, chance: random.Random) -> None:
    await peer.hello(name="calm-random", token=str(chance.getrandbits(256)))


async def reset(peer: RawClient, chance: random.Random) -> None:
    del chance
    peer.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO)


async def watch_and_never_read(peer: RawClient, chance: random.Random) -> None:
    peer.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    await peer.send(type="hello", protocol=1, role="spectator")
    await peer.send(type="watch", all=True)
    await trio.sleep(chance.uniform(0, 5 * STAY_S))


async def speak_and_never_read(peer: RawClient, chance: random.Random) -> None:
    await peer.send(type="hello", protocol=1, role="spectator")
    pings = frame({"type": "ping", "nonce": "x" * 60}) * 100
    with trio.move_on_after(chance.uniform(0, STAY_S)):
        while True:
            await peer.send_bytes(pings)


PESTS: tuple[Callable[[RawClient, random.Random], Awaitable[None]], ...] = (
    never_say_hello,
    say_half_a_hello,
    send_noise,
    guess_a_token,
    reset,
    watch_and_never_read,
    speak_and_never_read,
)


class Plague:
    """Pests, one after the other and some at the same time.

    Attributes:
        connections: how many there were.
    """

    def __init__(self, port: int, chance: random.Random) -> None:
        self.connections = 0
        self._port = port
        self._chance = chance

    async def swarm(self) -> None:
        """One pest after the other, until cancelled."""
        while True:
            pest = self._chance.choice(PESTS)
            try:
                async with connected("127.0.0.1", self._port) as peer:
                    self.connections += 1
                    await pest(peer, self._chance)
            except (OSError, EOFError, trio.BrokenResourceError, trio.TooSlowError):
                await trio.sleep(0.1)
            await trio.sleep(self._chance.uniform(0, 0.05))
