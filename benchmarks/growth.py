"""Growth: what a database of a million matches costs, in a file or on a PostgreSQL server.

``python -m benchmarks growth --database ADDRESS`` plays into an empty database that stays there: a
file, or ``postgresql://…``. All rows are written by the store's own functions, many matches in a
transaction: begun, then ended with replays and ratings. No match is played on the wire; each tenth
has the replay of a whole match at random, the others have one without turns.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx2
import msgspec
import sqlalchemy as sa
import trio
from tests.scripted.scripted_referee import record_of

from benchmarks.figures import Figure
from benchmarks.pages import GOAL_MS
from polynya_common.database_address import DatabaseAddress
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
    plan_of,
)
from polynya_contest.ratings.model import RatingSettings
from polynya_games import load
from polynya_protocol.messages import Clock, ForfeitReason, Step
from polynya_server import MatchRecord, MatchSetup
from polynya_server.records import TurnRecord
from polynya_store import Attempt, Store
from polynya_store.matches.match_recording import begin_matches, finish_matches
from polynya_store.matches.match_repository import find_old, remove_old
from polynya_store.tournaments.open_pairings import OpenPairing, open_pairings
from polynya_store.tournaments.planning import plan_tournament
from polynya_web.page_sources import PageSources
from polynya_web.settings import WebSettings
from polynya_web.web_server import open_web

AT_ONCE = 500
"""Matches in a transaction; a server that is busy writes 50 and more."""
LADDERS = (("packeis", 2), ("packeis", 2), ("packeis", 2), ("arktia", 3), ("icecult", 2))
CLOCK = Clock(initial_ms=60_000, increment_ms=500)
CUP_BOTS = 100
CUP_MATCHES = CUP_BOTS * (CUP_BOTS - 1)
SHARES = (0.25, 0.5, 1.0)
"""When rate, size and computing the ratings again are measured, as parts of the matches."""
TIMES = 20
SEED = 7


@dataclass(frozen=True, slots=True)
class Size:
    """How far a database grows; a tournament of 9,900 matches is among them if there is room."""

    matches: int = 1_000_000
    bots: int = 5_000

    @property
    def has_cup(self) -> bool:
        """Whether the tournament is among them."""
        return self.matches >= CUP_MATCHES and self.bots >= CUP_BOTS


def measure(address: DatabaseAddress, size: Size) -> list[Figure]:
    """Fill an empty database, and measure what grows."""
    figures: list[Figure] = []
    with Store.open(address, for_play=True) as store:
        season = _Season(store, size)
        done, began = 0, time.perf_counter()
        for share in SHARES:
            while done < size.matches * share:
                done += season.play(min(AT_ONCE, size.matches - done))
            seconds = time.perf_counter() - began
            figures += _grown(store, done, seconds)
            began = time.perf_counter() - seconds
        halfway_ms = season.halfway_ms
    with Store.open(address) as store:
        figures += trio.run(_pages, store, size)
    with Store.open(address, for_play=True) as store:
        figures += _pruned(store, halfway_ms)
    return figures


def _grown(store: Store, matches: int, seconds: float) -> Iterator[Figure]:
    here = f"growth, {matches:,} matches"
    yield Figure(here, "matches begun and ended a second, on average", matches / seconds)
    yield Figure(here, "the database, MB", _size(store) / 1e6)
    took = _timed(store.ratings.recompute)
    yield Figure(here, "ratings computed again, s", took)
    yield Figure(here, "the same for 1,000 matches, ms", took * 1e6 / matches)
    print(f"{matches:,} matches after {seconds:.0f} s", file=sys.stderr)


def _pruned(store: Store, before_ms: int) -> Iterator[Figure]:
    part, before = "growth, prune", _size(store)
    old = find_old(store.database, before_ms)
    took = _timed(lambda: remove_old(store.database, before_ms))
    yield Figure(part, "old replays", old.replays)
    yield Figure(part, "their documents, MB", old.size / 1e6)
    yield Figure(part, "removed, s", took)
    yield Figure(part, "the database before, MB", before / 1e6)
    yield Figure(part, "the database after, MB", _size(store) / 1e6)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _size(store: Store) -> int:
    if store.file is not None:
        wal = store.file.with_name(store.file.name + "-wal")
        return sum(path.stat().st_size for path in (store.file, wal) if path.exists())
    with store.database.reading() as connection:
        return int(connection.scalar(sa.text("SELECT pg_database_size(current_database())")) or 0)


class _Season:
    """A ladder of three games, and one tournament."""

    def __init__(self, store: Store, size: Size) -> None:
        self._store = store
        self._size = size
        self._random = random.Random(SEED)
        self._names = [f"bot-{number:04}" for number in range(1, size.bots + 1)]
        self._strength = {name: self._random.gauss(1500, 200) for name in self._names}
        self._played = 0
        self._of_cup = self._cup()
        self.halfway_ms = 0

    def _cup(self) -> Iterator[OpenPairing]:
        names = self._names[:CUP_BOTS]
        cup = TournamentConfiguration(
            name="cup-1",
            game="packeis",
            bots=[BotConfiguration(name=name, external=True) for name in names],
            clock=CLOCK,
            cycles=1,
        )
        if not self._size.has_cup:
            return iter(())
        with self._store.database.writing() as connection:
            return iter(open_pairings(connection, plan_tournament(connection, plan_of(cup))))

    def play(self, count: int) -> int:
        """Begin and end some matches; how many."""
        attempts = [self._attempt(self._played + number) for number in range(1, count + 1)]
        batches = self._store.batches
        setups = batches.transact([(begin_matches, attempts)])
        records = [self._record(setup) for setup in setups]
        batches.transact([(finish_matches, records)])
        self._played += count
        if self._played <= self._size.matches / 2:
            self.halfway_ms = records[-1].finished_ms
        return count

    def _attempt(self, number: int) -> Attempt:
        if pairing := next(self._of_cup, None):
            drawn = pairing.pairing
            setup = _setup(f"cup-1-{drawn.number}", "packeis", drawn.players, drawn.seed)
            return Attempt(setup, RatingSettings(), pairing.id)
        game, players = LADDERS[number % len(LADDERS)]
        names = self._random.sample(self._names, players)
        setup = _setup(f"ladder-{number}", game, names, number)
        return Attempt(setup, RatingSettings(), why="both have waited long")

    def _record(self, setup: MatchSetup) -> MatchRecord:
        luck = [self._strength[name] + self._random.gauss(0, 150) for name in setup.players]
        ranking = [1 + sum(other > one for other in luck) for one in luck]
        forfeits: dict[int, ForfeitReason] | None
        forfeits = {ranking.index(len(luck)): "timeout"} if self._random.random() < 0.05 else None
        record = record_of(setup, ranking, forfeits=forfeits)
        now_ms = time.time_ns() // 1_000_000
        changed: dict[str, object] = {"started_ms": now_ms, "finished_ms": now_ms}
        if self._random.random() < 0.1 and forfeits is None:
            state, turns = _whole_match(setup.game, len(setup.players), setup.seed % 50)
            changed |= {"state": state, "events": turns}
        return msgspec.structs.replace(record, **changed)


def _setup(name: str, game: str, players: Sequence[str], seed: int) -> MatchSetup:
    return MatchSetup(match=name, game=game, players=tuple(players), clock=CLOCK, seed=seed)


@cache
def _whole_match(game: str, players: int, seed: int) -> tuple[object, list[TurnRecord]]:
    """The position and the turns of a match of random steps."""
    generator = random.Random(seed)
    state = load(game).setup(players, seed)
    initial, at_us = state.to_json(), 0
    turns: list[TurnRecord] = []
    while state.to_move is not None:
        seat = state.to_move
        steps: list[Step] = []
        while not steps or not state.turn_over:
            step = generator.choice(list(state.legal_steps()))
            steps.append(list(step))
            state = state.apply(step)
        at_us += 41_000
        turns.append(
            TurnRecord(
                turn=len(turns) + 1,
                seat=seat,
                steps=steps,
                queued_us=at_us,
                flushed_us=at_us + 50,
                first_byte_us=at_us + 40_000,
                last_byte_us=at_us + 40_010,
                kernel=True,
                charged_ms=40,
                remaining_ms=[60_000] * players,
                loop_delay_us=120,
            )
        )
    return initial, turns


def _paths(size: Size) -> dict[str, str]:
    """The requests, by their names in the table."""
    bot, other = "bot-0001", "bot-0002"
    paths = {
        "first page": "/",
        "ladder": "/ladder/packeis/2",
        "ladder, found by name": "/ladder/packeis/2?name=9",
        "ladder as JSON": "/api/v1/ratings/packeis/2",
        "matches": "/matches",
        "matches, deep in the list": f"/matches?older={size.matches // 2}",
        "matches in play": "/matches?state=in_play",
        "matches that ended": "/matches?state=ended",
        "matches of a game": "/matches?game=arktia",
        "matches of a bot": f"/matches?bot={bot}",
        "matches of a bot in a game": f"/matches?bot={bot}&game=arktia",
        "matches of two bots": f"/matches?bot={bot}&opponent={other}",
        "bot": f"/bots/{bot}",
        "bot without a tournament": f"/bots/bot-{size.bots:04}",
        "bots": "/bots",
        "tournaments": "/tournaments",
    }
    if size.has_cup:
        paths["matches of a tournament"] = "/matches?tournament=cup-1"
        paths["tournament of 9,900 matches"] = "/tournaments/cup-1"
        paths["its schedule"] = "/tournaments/cup-1/schedule?page=90"
    return paths


async def _pages(store: Store, size: Size) -> list[Figure]:
    async with (
        open_web(WebSettings(port=0), PageSources(store)) as address,
        httpx2.AsyncClient(base_url=address, timeout=120) as client,
    ):
        return [
            Figure("growth, pages", f"{name}, ms", await _median_ms(client, path), GOAL_MS)
            for name, path in _paths(size).items()
        ]


async def _median_ms(client: httpx2.AsyncClient, path: str) -> float:
    times = [await _ms(client, path) for _ in range(TIMES + 1)]
    return statistics.median(times[1:])


async def _ms(client: httpx2.AsyncClient, path: str) -> float:
    began = time.perf_counter()
    answer = await client.get(path)
    if answer.status_code != 200:
        raise RuntimeError(f"{path}: {answer.status_code}: {answer.text}")
    return 1000 * (time.perf_counter() - began)


def check_empty(address: DatabaseAddress) -> None:
    """Refuse a file that is there.

    Raises:
        SystemExit: it is.
    """
    if isinstance(address, Path) and address.exists():
        raise SystemExit(f"{address} is there already: give a new file")
