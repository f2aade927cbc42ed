"""What is done to honest bots and to the server, and the log that later explains forfeits."""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import trio
from benchmarks.processes import Stolen
from tests.chaos.processes import Contest, HonestBot
from tests.chaos.proxy import WEATHERS, Proxy
from tests.postgresql import PostgreSQL

from polynya_protocol.messages import ForfeitReason

LOOK_S = 1.0
MUCH_STOLEN = 20
"""Per cent of the processors' time of a second; a calm machine's host keeps one or two."""
VERY_LATE_S = 0.5
SHORT_STOP_S = 0.3
SHORT_HOLD_S = 0.3


@dataclass(frozen=True, slots=True)
class Injury:
    """Something that an honest bot may lose by.

    Attributes:
        bot: whose it is.
        reasons: what it may forfeit by.
        began_ms, ended_ms: when it could have its effect, in ms since 1970-01-01 UTC.
    """

    bot: str
    reasons: frozenset[ForfeitReason]
    began_ms: float
    ended_ms: float


class Log:
    """What was done.

    Attributes:
        injuries: what explains forfeits. What a bot has to bear is not in it.
        count: how often each kind of thing was done.
    """

    def __init__(self) -> None:
        self.injuries: list[Injury] = []
        self.count: Counter[str] = Counter()

    def injured(self, bot: str, began_ms: float, effect_ms: float, *reasons: ForfeitReason) -> None:
        """An honest bot may now lose a match by these reasons."""
        ended_ms = time.time() * 1000 + effect_ms
        self.injuries.append(Injury(bot, frozenset(reasons), began_ms, ended_ms))


async def trouble_the_network(proxy: Proxy, chance: random.Random, log: Log) -> None:
    """One thing after the other that a bot must survive, until cancelled."""

    def change_weather() -> None:
        proxy.weather = chance.choice(WEATHERS)

    troubles = {
        "weather": change_weather,
        "reset": proxy.reset,
        "cut": proxy.cut,
        "half_open": proxy.half_open,
        "hold": proxy.hold,
    }
    while True:
        await trio.sleep(chance.uniform(0.2, 1.0))
        kind = chance.choice(sorted(troubles))
        log.count[kind] += 1
        troubles[kind]()
        if kind == "hold":
            await trio.sleep(SHORT_HOLD_S)
            proxy.release()


async def stop_and_kill(
    bots: Sequence[HonestBot], limit_s: float, chance: random.Random, log: Log
) -> None:
    """Stop bots for a moment, stop them for longer than a turn, and kill them; until cancelled.

    Args:
        bots: whom.
        limit_s: how long a turn may take.
        chance: decides who, what and when.
        log: is told.
    """
    while True:
        await trio.sleep(chance.uniform(0.3, 1.5))
        bot = chance.choice(bots)
        kind = chance.choice(["stop", "stop", "stop", "kill", "kill", "long_stop"])
        began_ms = time.time() * 1000
        log.count[kind] += 1
        if kind == "kill":
            bot.signal(signal.SIGKILL)
            log.injured(bot.name, began_ms, 2000 * limit_s, "disconnected", "timeout")
            continue
        bot.signal(signal.SIGSTOP)
        await trio.sleep(SHORT_STOP_S if kind == "stop" else 1.2 * limit_s)
        bot.signal(signal.SIGCONT)
        if kind == "long_stop":
            log.injured(bot.name, began_ms, 0, "timeout")


async def watch_the_machine(bots: Sequence[str], limit_s: float, log: Log) -> None:
    """Note when the machine stood still: whoever then loses by the time has an excuse.

    Honest bots have to bear a network that breaks twice a second because they come back in a tenth
    of one. On a virtual machine whose host is busy they do not.
    """
    while True:
        began_ms, stolen = time.time() * 1000, Stolen()
        due = trio.current_time() + LOOK_S
        await trio.sleep_until(due)
        late_s = trio.current_time() - due
        if late_s > VERY_LATE_S or (stolen.percent() or 0) > MUCH_STOLEN:
            log.count["machine"] += 1
            for bot in bots:
                log.injured(bot, began_ms, 1000 * limit_s, "timeout", "disconnected", "not_ready")


async def cut_the_database(postgresql: PostgreSQL, chance: random.Random, log: Log) -> None:
    """Cut all connections to the database at random moments, until cancelled."""
    while True:
        await trio.sleep(chance.uniform(1, 4))
        log.count["database_cut"] += await trio.to_thread.run_sync(postgresql.cut)


async def kill_the_server(contest: Contest, kills: int, chance: random.Random, log: Log) -> None:
    """Kill the server at random moments and start it again, so often."""
    for _ in range(kills):
        await trio.sleep(chance.uniform(0, 5))
        log.count["server_kill"] += 1
        await contest.kill()
        await contest.start()
