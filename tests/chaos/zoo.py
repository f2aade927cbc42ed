"""Bad bots: each does one thing wrong, knows what it may forfeit by, and comes again for ever."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import trio
from tests.scripted import RawClient, frame
from tests.scripted.raw_client import Received, connected

from polynya_protocol.messages import ForfeitReason

FOREVER_S = 3600
PAUSE_S = 0.2


class Leave(Exception):  # noqa: N818 - not an error: the bot wants another connection
    """The bot closes its connection now, and comes again."""


@dataclass(frozen=True, slots=True)
class Animal:
    """A kind of bad bot.

    Attributes:
        name: the bot's name.
        on_turn: what it does when it is asked.
        reasons: what it may forfeit by; nothing if what it does costs it nothing but errors.
        concurrency: how many matches it plays at the same time.
        hears: whether it reads what it is sent after its hello.
    """

    name: str
    on_turn: Callable[[RawClient, Received], Awaitable[None]]
    reasons: frozenset[ForfeitReason] = frozenset()
    concurrency: int = 1
    hears: bool = True


def legal_move(turn: Received) -> bytes:
    steps = [turn["legal"][0]]
    return frame({"type": "move", "match": turn["match"], "turn": turn["turn"], "steps": steps})


async def stay_silent(bot: RawClient, turn: Received) -> None:
    del bot, turn


async def send_half_a_frame(bot: RawClient, turn: Received) -> None:
    """Half of a match's first move, and the rest of it never: the stream is of no use then."""
    if turn["turn"] > 1:
        await bot.send_bytes(legal_move(turn))
        return
    await bot.send_bytes(legal_move(turn)[:17])
    while (await bot.receive())["type"] != "match_over":
        pass
    raise Leave


async def take_time(bot: RawClient, turn: Received) -> None:
    await trio.sleep(0.1)
    await bot.send_bytes(legal_move(turn))


async def answer_twice(bot: RawClient, turn: Received) -> None:
    await bot.send_bytes(legal_move(turn) * 2)


async def answer_old_turns_first(bot: RawClient, turn: Received) -> None:
    for number in range(max(0, turn["turn"] - 5), turn["turn"]):
        await bot.move(turn, [turn["legal"][0]], turn=number)
    await bot.send_bytes(legal_move(turn))


async def flood(bot: RawClient, turn: Received) -> None:
    """More messages than are read without a pause, before the first answers of a match."""
    if turn["turn"] <= 2:
        await bot.send_bytes(frame({"type": "ping", "nonce": "x" * 40}) * 700)
    await bot.send_bytes(legal_move(turn))


async def send_a_huge_length(bot: RawClient, turn: Received) -> None:
    del turn
    await bot.send_bytes(b"\xff\xff\xff\xff" + bytes(5000))
    await bot.expect_end()
    raise Leave


async def send_garbage(bot: RawClient, turn: Received) -> None:
    await bot.send_bytes(b"\x00\x00\x00\x20" + random.Random(turn["turn"]).randbytes(31) + b"\xc1")
    await bot.expect_end()
    raise Leave


async def make_an_illegal_step(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, [["place", 4711]])


async def break_off_in_mid_frame(bot: RawClient, turn: Received) -> None:
    """Gone in the middle of a frame, and back for the turn that is still asked for."""
    if turn["turn"] % 5 == 1 and not bot.of_type("match_resume"):
        await bot.send_bytes(legal_move(turn)[:-3])
        raise Leave
    await bot.send_bytes(legal_move(turn))


async def say_goodbye(bot: RawClient, turn: Received) -> None:
    del turn
    await bot.send(type="goodbye")
    await bot.expect_end()
    raise Leave


async def resign(bot: RawClient, turn: Received) -> None:
    await bot.send(type="resign", match=turn["match"])


def _reasons(*reasons: ForfeitReason) -> frozenset[ForfeitReason]:
    return frozenset(reasons)


ZOO = (
    Animal("silent", stay_silent, _reasons("timeout"), concurrency=8),
    Animal("half-frame", send_half_a_frame, _reasons("timeout")),
    Animal("slow", take_time),
    Animal("twice", answer_twice, concurrency=4),
    Animal("stale", answer_old_turns_first, concurrency=4),
    Animal("flood", flood),
    Animal("huge", send_a_huge_length, _reasons("protocol_error")),
    Animal("garbage", send_garbage, _reasons("protocol_error")),
    Animal("illegal", make_an_illegal_step, _reasons("illegal_move"), concurrency=4),
    Animal("dropper", break_off_in_mid_frame),
    Animal("quitter", say_goodbye, _reasons("disconnected")),
    Animal("resigner", resign, _reasons("resigned"), concurrency=4),
)


DEAF = Animal("deaf", stay_silent, _reasons("not_ready"), hears=False)
"""It plays only where a bot that is never ready does not end a tournament's schedule."""


class Keeper:
    """Lets animals loose on a server, and counts what they did.

    Attributes:
        deeds: how often each animal did what it does, by name.
    """

    def __init__(self, port: int, tokens: dict[str, str]) -> None:
        self.deeds: Counter[str] = Counter()
        self._port = port
        self._tokens = tokens

    async def keep(self, animal: Animal) -> None:
        """One animal, over as many connections as it takes, until cancelled."""
        while True:
            try:
                async with connected("127.0.0.1", self._port) as bot:
                    await self._live(animal, bot)
            except (OSError, EOFError, trio.BrokenResourceError, Leave):
                await trio.sleep(PAUSE_S)

    async def _live(self, animal: Animal, bot: RawClient) -> None:
        bot.patience_s = FOREVER_S
        await bot.hello(
            name=animal.name,
            token=self._tokens[animal.name],
            concurrency=animal.concurrency,
            wants=["legal"],
        )
        while not animal.hears:
            self.deeds[animal.name] += 1
            await bot.send(type="ping", nonce="x" * 60)
            await trio.sleep(PAUSE_S)
        while True:
            message = await bot.receive()
            if message["type"] == "turn":
                self.deeds[animal.name] += 1
                await animal.on_turn(bot, message)
            else:
                await bot.answer(message)
            if message["type"] == "match_over":
                bot.received.clear()
