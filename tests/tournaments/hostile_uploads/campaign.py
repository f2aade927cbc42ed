"""A long campaign against a server: ``python -m tests.tournaments.hostile_uploads.campaign``.

For ``POLYNYA_LONG_S`` seconds (an hour) strangers upload hostile archives, manifests and builds,
drawn from the seed ``POLYNYA_LONG_SEED`` (a new one, which is printed). Meanwhile ``/health``
answers within a second, the server's memory does not grow, an honest author's upload is accepted at
its usual time, and at the end SIGTERM ends the server.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random, SystemRandom
from statistics import linear_regression
from threading import Thread
from time import monotonic

import httpx2
import trio
from tests.tournaments.hostile_uploads.hostile_archives import HOSTILE, mutated
from tests.tournaments.hostile_uploads.hostile_programs import program
from tests.tournaments.uploads.serving import TOKEN, Serving, serving

STRANGERS = tuple(f"stranger{number}" for number in range(4))
HONEST = "honest"
SETTINGS = """
[uploads]
per_hour = 10000
per_day = 10000
versions = 10000
kept_mb = 100000
builds = 2
"""
HEALTH_S = 1.0
MOST_HEALTH_S = 0.5
"""What 99 of 100 answers keep to."""
PAUSE_S = 0.2
HONEST_EACH_S = 20.0
WARM_S = 60.0
GROWTH_MB_PER_HOUR = 48
"""By the line through the last half of what was measured: a server grows while it warms up."""
SECONDS_TO_JUDGE_GROWTH = 600
SIGTERM_S = 30.0
OWNER = {"authorization": f"Bearer {TOKEN}"}


@dataclass
class Figures:
    """What was measured.

    Attributes:
        health: how long each answer took, in seconds.
        memory: of the server's process in MiB, one after the other.
        honest: how long each honest upload took until it was accepted, in seconds.
        answers: how often each status code came, for hostile uploads.
        problems: sentences about what must not be.
    """

    health: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    honest: list[float] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def most_health(self) -> float:
        """The time in which 99 of 100 answers came."""
        return sorted(self.health)[int(len(self.health) * 0.99)]

    @property
    def growth(self) -> float:
        """How fast memory grew in the last half of the time, in MiB an hour; see `growth_of`."""
        return growth_of(self.memory[len(self.memory) // 2 :])

    def words(self) -> str:
        """All in a few lines."""
        health = sorted(self.health)
        median, last = health[len(health) // 2], self.most_health
        memory = ", ".join(f"{each:.0f}" for each in [*self.memory[::30], self.memory[-1]])
        honest = ", ".join(f"{seconds:.1f}" for seconds in self.honest)
        return "\n".join(
            [
                f"/health: {len(health)} answers, median {median * 1000:.0f} ms, "
                f"99 % within {last * 1000:.0f} ms, slowest {health[-1] * 1000:.0f} ms",
                f"memory of the server in MiB, each 30 s, when it was warm: {memory}; "
                f"{self.growth:+.0f} an hour in the last half",
                f"an honest upload until it was accepted, the first alone: {honest} s",
                f"hostile uploads by answer: {dict(sorted(self.answers.items()))}",
            ]
        )


def growth_of(memory: Sequence[float]) -> float:
    """The slope of the least-squares line through values that are a second apart, times 3,600."""
    if len(memory) < 2:
        return 0.0
    return linear_regression(range(len(memory)), memory).slope * 3_600


def resident_mb(pid: int) -> float:
    """How much memory a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Campaign:
    """Strangers and an honest author on one server.

    Args:
        server: which.
        folder: for their programs.
        seed: of what the strangers do.
    """

    def __init__(self, server: Serving, folder: Path, seed: int) -> None:
        self._server = server
        self._folder = folder
        self._seed = seed
        self._client = httpx2.AsyncClient(base_url=server.address, timeout=600, headers=OWNER)
        self._versions = 0
        self.figures = Figures()

    async def run(self, seconds: float) -> None:
        """Attack for so long."""
        async with self._client:
            for _ in range(2):  # the first one also warms the server up
                await self._honest_upload()
            del self.figures.honest[0]
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._watch_health)
                nursery.start_soon(self._watch_memory, min(WARM_S, seconds / 4))
                nursery.start_soon(self._honest_author)
                for name in STRANGERS:
                    nursery.start_soon(self._stranger, name)
                await trio.sleep(seconds)
                nursery.cancel_scope.cancel()

    async def _post(self, bot: str, archive: bytes) -> httpx2.Response:
        return await self._client.post(f"/api/v1/bots/{bot}/versions", files={"archive": archive})

    async def _stranger(self, name: str) -> None:
        number = 0
        while True:
            number += 1
            archive = await trio.to_thread.run_sync(
                self._hostile, name, Random(f"{self._seed}/{name}/{number}")
            )
            try:
                answer = await self._post(name, archive)
            except httpx2.HTTPError as error:
                self.figures.problems.append(f"an upload was not answered: {error!r}")
                await trio.sleep(1)
                continue
            self.figures.answers[str(answer.status_code)] += 1
            if answer.status_code == 429:  # others of its wait
                await trio.sleep(1)

    def _hostile(self, name: str, random: Random) -> bytes:
        choice = random.random()
        if choice < 0.1:
            return HOSTILE[random.choice(list(HOSTILE))]()
        if choice < 0.6:
            return mutated(random)
        return program(self._folder, name, f"{random.randrange(10**9)}", random)

    async def _honest_author(self) -> None:
        while True:
            await trio.sleep(HONEST_EACH_S)
            await self._honest_upload()

    async def _honest_upload(self) -> None:
        """Hand in a new version, and wait until it plays."""
        self._versions += 1
        version = f"{self._versions}"
        archive = await trio.to_thread.run_sync(program, self._folder, HONEST, version)
        began = monotonic()
        answer = await self._post(HONEST, archive)
        if answer.status_code != 200:
            self.figures.problems.append(f"an honest upload was refused: {answer.text}")
            return
        while True:
            query = {"version": version}
            found = (await self._client.get(f"/api/v1/bots/{HONEST}/versions", params=query)).json()
            if found[0]["state"] == "accepted":
                self.figures.honest.append(monotonic() - began)
                return
            if found[0]["state"] == "refused":
                self.figures.problems.append(f"an honest upload: {found[0]['detail']}")
                return
            await trio.sleep(PAUSE_S)

    async def _watch_health(self) -> None:
        async with httpx2.AsyncClient(base_url=self._server.address, timeout=60) as client:
            while True:
                began = monotonic()
                try:
                    (await client.get("/health")).raise_for_status()
                except httpx2.HTTPError as error:
                    self.figures.problems.append(f"/health after {began:.0f} s: {error!r}")
                    if self._server.process.poll() is not None:
                        raise AssertionError("the server has ended") from error
                self.figures.health.append(monotonic() - began)
                await trio.sleep(PAUSE_S)

    async def _watch_memory(self, warm_s: float) -> None:
        await trio.sleep(warm_s)
        while True:
            self.figures.memory.append(resident_mb(self._server.process.pid))
            await trio.sleep(1)


def judge(figures: Figures) -> Sequence[str]:
    """What was not as it must be."""
    wrong = list(figures.problems)
    if max(figures.health) > HEALTH_S:
        wrong.append(f"/health took {max(figures.health):.1f} s")
    if figures.most_health > MOST_HEALTH_S:
        wrong.append(f"one of 100 answers of /health took {figures.most_health:.1f} s")
    is_long = len(figures.memory) >= SECONDS_TO_JUDGE_GROWTH
    if is_long and figures.growth > GROWTH_MB_PER_HOUR:
        wrong.append(f"the server's memory grew by {figures.growth:.0f} MiB an hour")
    usual, *later = figures.honest
    if not later or max(later) > 2 * usual + 20:
        wrong.append("an honest upload took longer than usual")
    return wrong


def main() -> int:
    """Run a campaign; 1 if something was not as it must be."""
    seconds = float(os.environ.get("POLYNYA_LONG_S") or 3_600)
    seed = int(os.environ.get("POLYNYA_LONG_SEED") or SystemRandom().randrange(10**6))
    print(f"hostile uploads for {seconds:g} s; the seed is {seed} (POLYNYA_LONG_SEED)", flush=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with serving(folder, HONEST, *STRANGERS, settings=SETTINGS) as server:
            said: list[str] = []
            listener = Thread(target=partial(said.extend, server.process.stderr or ()))
            listener.start()
            campaign = Campaign(server, folder / "programs-of-authors", seed)
            (folder / "programs-of-authors").mkdir()
            try:
                trio.run(campaign.run, seconds)
            except BaseException:
                print("".join(said[-40:]))
                raise
            began = monotonic()
            server.process.send_signal(signal.SIGTERM)
            status = server.process.wait(SIGTERM_S)
            ended_s = monotonic() - began
            listener.join()
    print(campaign.figures.words())
    print(f"SIGTERM ended the server within {ended_s:.1f} s, with status {status}")
    wrong = list(judge(campaign.figures))
    if status:
        wrong.append(f"the server ended with status {status}: {''.join(said[-40:])}")
    wrong += [f"an error of ours: {line}" for line in said if "set aside" in line]
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
