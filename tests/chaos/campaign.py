"""A campaign: honest bots, bad bots and pests at one contest, while everything is disturbed."""

from __future__ import annotations

import json
import random
import socket
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio
from tests.chaos.injuries import (
    Log,
    cut_the_database,
    kill_the_server,
    stop_and_kill,
    trouble_the_network,
    watch_the_machine,
)
from tests.chaos.invariants import forfeits
from tests.chaos.pests import Plague
from tests.chaos.processes import Contest, HonestBot
from tests.chaos.proxy import Proxy
from tests.chaos.zoo import Animal, Keeper
from tests.postgresql import PostgreSQL

from polynya_common.database_address import DatabaseAddress, address_text
from polynya_server.sessions.tokens import hash_token, new_token
from polynya_store import Store

HOSTED = {"calm-random": "random", "calm-greedy": "greedy"}
"""Honest bots to which nothing is done; a tournament starts them itself."""
FAR = {"far-random": "random", "far-greedy": "greedy"}
"""Honest bots behind the proxy, which must not lose by that."""
HURT = {"hurt-random": "random"}
"""An honest bot that is stopped and killed."""
TOURNAMENT = "chaos"
_AFTERMATH_MS = 120_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign is.

    Attributes:
        seed: decides what is done when.
        zoo: the bad bots.
        honest: how many of each kind of honest bots, 1 or 2.
        kills: how often the server is killed.
        pests: how many pests there are at a time.
        turn_ms: how long a turn may take: seconds, so that no honest bot on a busy machine needs
            it.
        limit_s: after this time the suite itself has failed.
    """

    seed: int
    zoo: Sequence[Animal]
    honest: int
    kills: int
    pests: int
    turn_ms: int = 3_000
    limit_s: float = 600

    def names(self, kind: dict[str, str]) -> list[str]:
        """The honest bots of a kind."""
        return list(kind)[: self.honest]


@dataclass(slots=True)
class Report:
    """What a campaign has done and found.

    Attributes:
        log: what was done to bots and server.
        deeds: what bad bots did, by name.
        pests: how many connections pests made.
        left_sockets: how many sockets the server held in the end beyond its own.
        exit_code: of the contest's last process.
    """

    log: Log
    deeds: dict[str, int]
    pests: int = 0
    left_sockets: int = 0
    exit_code: int | None = None


def free_port() -> int:
    """A port that nobody listens on; the same for all starts of a server."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


class Campaign:
    """One campaign in a folder of its own.

    Args:
        plan: what is done.
        folder: for its files.
        postgresql: the server that it plays into, and whose connections are cut meanwhile; without,
            the database is a file in the folder.
    """

    def __init__(self, plan: Plan, folder: Path, postgresql: PostgreSQL | None = None) -> None:
        self.plan = plan
        self.database: DatabaseAddress = folder / "polynya.sqlite"
        if postgresql is not None:
            self.database = postgresql.new()
        self._postgresql = postgresql
        self.report = Report(Log(), {})
        self._folder = folder
        self._port = free_port()
        self._chance = random.Random(plan.seed)
        self._tokens: dict[str, str] = {}

    async def tournament(self) -> Report:
        """Play a round robin to its end, however often its process is killed."""
        self._register([*self.plan.names(FAR), *self.plan.names(HURT)])
        description = self._described()
        contest = Contest(["tournament", "run", str(description)], self._folder / "contest.log")
        with trio.fail_after(self.plan.limit_s):
            async with self._under_way(contest, {}):
                await self._kill(contest)
                self.report.exit_code = await contest.process.wait()
                while self.report.exit_code == 1 and contest.starts < 3 * self.plan.kills + 10:
                    await contest.start()
                    self.report.exit_code = await contest.process.wait()
        return self.report

    async def ladder(self, seconds: float) -> Report:
        """Let a standing server play for a while, and stop it in order when all have gone."""
        kinds = (HOSTED, FAR, HURT)
        self._register([name for kind in kinds for name in self.plan.names(kind)])
        arguments = ["serve", "--port", str(self._port), "--database", self._database_text]
        arguments += ["--move-ms", str(self.plan.turn_ms), "--seed", str(self.plan.seed)]
        arguments += ["--pace-ms", "0", "--suspend-after", "0"]  # the bad bots are to go on
        contest = Contest(arguments, self._folder / "contest.log")
        with trio.fail_after(self.plan.limit_s):
            async with self._under_way(contest, HOSTED) as own_sockets:
                await self._kill(contest)
                await contest.kill()
                await contest.start()
                await trio.sleep(seconds)
                self._all_leave()
            await self._left_alone(contest, own_sockets)
            self.report.exit_code = await contest.stop()
        return self.report

    @property
    def _database_text(self) -> str:
        return address_text(self.database)

    def _all_leave(self) -> None:
        """All bots are about to lose their connections for good, in the middle of matches."""
        now_ms = time.time() * 1000
        for name in self._tokens:
            self.report.log.injured(name, now_ms, _AFTERMATH_MS, "disconnected", "not_ready")

    def last_lines(self) -> str:
        """What the contest's process wrote last: read it when something is wrong."""
        log = (self._folder / "contest.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join(log.splitlines()[-30:])

    async def _left_alone(self, contest: Contest, own_sockets: int) -> None:
        """Wait for the sockets of those who have gone to be closed; what stays is reported."""
        with trio.move_on_after(60):
            while contest.sockets() > own_sockets:
                await trio.sleep(0.1)
        self.report.left_sockets = contest.sockets() - own_sockets

    async def _kill(self, contest: Contest) -> None:
        await kill_the_server(contest, self.plan.kills, self._chance, self.report.log)

    def _register(self, names: Sequence[str]) -> None:
        with Store.open(self.database, for_play=True) as store:
            for name in [*names, *(animal.name for animal in self.plan.zoo)]:
                self._tokens[name] = new_token()
                store.bots.set_token(name, hash_token(self._tokens[name]))

    def _described(self) -> Path:
        hosted = [(name, f'builtin = "{HOSTED[name]}"') for name in self.plan.names(HOSTED)]
        external = [(name, "external = true") for name in self._tokens]
        bots = "\n".join(
            f'[[bots]]\nname = "{name}"\n{start}' for name, start in [*hosted, *external]
        )
        path = self._folder / "chaos.toml"
        path.write_text(
            f'name = "{TOURNAMENT}"\ngame = "packeis"\nseed = {self.plan.seed}\n'
            f"clock = {{ move_ms = {self.plan.turn_ms} }}\nconcurrency = 32\n"
            f"port = {self._port}\ndatabase = {json.dumps(self._database_text)}\n"
            f"attempts = 20\nrestarts = 100\nstart_ms = 120_000\n{bots}\n",
            encoding="utf-8",
        )
        return path

    @asynccontextmanager
    async def _under_way(self, contest: Contest, direct: dict[str, str]) -> AsyncIterator[int]:
        """The contest, with everybody who takes part and everything that is done to them.

        Gives the number of sockets that its process has before anybody connects.
        """
        plan, report, chance = self.plan, self.report, self._chance
        await contest.start()
        own_sockets = contest.sockets()
        try:
            async with trio.open_nursery() as nursery:
                proxy = Proxy(self._port, random.Random(chance.getrandbits(64)))
                await nursery.start(proxy.run)
                for name in plan.names(FAR):
                    nursery.start_soon(self._bot(name, FAR[name], proxy.port).run)
                for name in plan.names(direct):
                    nursery.start_soon(self._bot(name, direct[name], self._port).run)
                hurt = [self._bot(name, HURT[name], self._port) for name in plan.names(HURT)]
                for bot in hurt:
                    nursery.start_soon(bot.run)
                keeper = Keeper(self._port, self._tokens)
                for animal in plan.zoo:
                    nursery.start_soon(keeper.keep, animal)
                plague = Plague(self._port, random.Random(chance.getrandbits(64)))
                for _ in range(plan.pests):
                    nursery.start_soon(plague.swarm)
                own = random.Random(chance.getrandbits(64))
                nursery.start_soon(trouble_the_network, proxy, own, report.log)
                own = random.Random(chance.getrandbits(64))
                limit_s = plan.turn_ms / 1000
                nursery.start_soon(stop_and_kill, hurt, limit_s, own, report.log)
                if self._postgresql is not None:
                    own = random.Random(chance.getrandbits(64))
                    nursery.start_soon(cut_the_database, self._postgresql, own, report.log)
                everybody = [*self._tokens, *plan.names(HOSTED)]
                nursery.start_soon(watch_the_machine, everybody, limit_s, report.log)
                yield own_sockets
                nursery.cancel_scope.cancel()
        except BaseException:
            with trio.CancelScope(shield=True):
                await contest.kill()
            raise
        report.deeds, report.pests = dict(keeper.deeds), plague.connections

    def _bot(self, name: str, example: str, port: int) -> HonestBot:
        log = self._folder / f"{name}.log"
        return HonestBot(name, example, port, self._tokens[name], log)


def played(store: Store) -> dict[str, int]:
    """How many attempts ended how, and how many forfeits there are in those with a result."""
    reasons = Counter(str(row.reason) for row in store.matches.find())
    return {**reasons, "forfeits": sum(1 for _ in forfeits(store))}


def describe(report: Report) -> None:
    """What was done, on standard error."""
    print(f"done: {dict(report.log.count)}", file=sys.stderr)
    print(f"bad bots: {report.deeds}, pests: {report.pests} connections", file=sys.stderr)
