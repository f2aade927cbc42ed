"""A database as it is after a long season: many bots, many matches, made in a few seconds.

The rows are those that playing would have left, but for replays, whose size no page depends on.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress
from polynya_store import Store, schema
from polynya_store.backends.sql import restart_ids
from polynya_store.matches import ladder_summaries

POOLS = (("packeis", 2), ("packeis", 2), ("packeis", 2), ("arktia", 3), ("icecult", 2))
FORFEITS = ("timeout", "illegal_move", "protocol_error", "disconnected")
CLOCK = {"initial_ms": 60_000, "increment_ms": 500, "move_ms": None}
START_MS = 1_760_000_000_000
ROWS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many there are of everything; a tenth of the matches belongs to each tournament."""

    bots: int = 1_000
    matches: int = 100_000
    tournaments: int = 4
    seed: int = 7


def fill(address: DatabaseAddress, crowd: Crowd) -> None:
    """Make the database."""
    season = _Season(crowd)
    with Store.open(address, for_play=True) as store, store.database.writing() as connection:
        for table, rows in season.tables():
            _insert(connection, table, rows)
        ladder_summaries.write_again(connection)
        connection.exec_driver_sql("ANALYZE")


def _insert(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    left = iter(rows)
    while some := list(islice(left, ROWS_AT_ONCE)):
        connection.execute(sa.insert(table), some)
    restart_ids(connection, table)


class _Season:
    """Everything that happened, table by table."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._random = random.Random(crowd.seed)
        self._strength = [self._random.gauss(1500, 200) for _ in range(crowd.bots)]
        self._ratings: dict[tuple[str, int, int], list[float]] = {}
        self._seats: list[dict[str, Any]] = []
        self._changes: list[dict[str, Any]] = []
        self._pairings: list[dict[str, Any]] = []
        self._matches = [self._match(number) for number in range(1, crowd.matches + 1)]

    def tables(self) -> Iterator[tuple[sa.Table, Iterable[dict[str, Any]]]]:
        """The tables in the order in which they refer to each other, with their rows."""
        yield schema.bots, self._bots()
        yield schema.tournaments, self._tournaments()
        yield schema.entrants, self._entrants()
        yield schema.pairings, self._pairings
        yield schema.matches, self._matches
        yield schema.seats, self._seats
        yield schema.rating_changes, self._changes
        yield schema.ratings, self._present_ratings()

    def _bots(self) -> Iterator[dict[str, Any]]:
        for number in range(1, self._crowd.bots + 1):
            yield {"id": number, "name": f"bot-{number:04}", "created_ms": START_MS}

    def _tournaments(self) -> Iterator[dict[str, Any]]:
        for number in range(1, self._crowd.tournaments + 1):
            description = {
                "bots": [f"bot-{bot:04}" for bot in range(1, self._in_tournaments + 1)],
                "clock": CLOCK,
                "cycles": 1,
                "format": "round_robin",
                "rules": 2,
                "game": "packeis",
                "k_factor": 32.0,
                "options": {},
                "players": 2,
                "seed": number,
                "start_rating": 1500.0,
            }
            yield {
                "id": number,
                "name": f"cup-{number}",
                "configuration": json.dumps(description),
                "configuration_hash": "0" * 64,
                "game": "packeis",
                "players": 2,
                "created_ms": START_MS,
                "rated_through": self._crowd.matches // 10,
            }

    def _entrants(self) -> Iterator[dict[str, Any]]:
        for tournament in range(1, self._crowd.tournaments + 1):
            for number in range(1, self._in_tournaments + 1):
                values = {"tournament_id": tournament, "bot_id": number, "number": number}
                yield {**values, "rating": 1500.0}

    @property
    def _in_tournaments(self) -> int:
        return min(100, self._crowd.bots)

    def _match(self, number: int) -> dict[str, Any]:
        tournament, within = divmod(number - 1, max(1, self._crowd.matches // 10))
        of_tournament = tournament < self._crowd.tournaments
        game, players = POOLS[0] if of_tournament else POOLS[number % len(POOLS)]
        field = self._in_tournaments if of_tournament else self._crowd.bots
        bots = self._random.sample(range(1, field + 1), players)
        forfeit = self._sit(number, game, bots)
        if of_tournament:
            self._pair(number, tournament + 1, within + 1, bots)
        name = f"cup-{tournament + 1}-{within + 1}" if of_tournament else f"ladder-{number}"
        return {
            "id": number,
            "name": name,
            "pairing_id": number if of_tournament else None,
            "attempt": 1,
            "game": game,
            "players": players,
            "options": {},
            "clock": CLOCK,
            "clock_class": "bullet",
            "seed": str(number),
            "rated": True,
            "k_factor": 32.0,
            "start_rating": 1500.0,
            "started_ms": START_MS + number * 60_000,
            "finished_ms": START_MS + number * 60_000 + 42_000,
            "reason": "forfeit" if forfeit else "finished",
            "termination": "forfeit" if forfeit else "finished",
            "detail": None,
            "server_fault": False,
            "server": "0.3.0",
        }

    def _pair(self, number: int, tournament: int, within: int, bots: Sequence[int]) -> None:
        names = [f"bot-{bot:04}" for bot in bots]
        self._pairings.append(
            {
                "id": number,
                "tournament_id": tournament,
                "number": within,
                "block": f"round_robin/1/{within}/{','.join(sorted(names))}",
                "players": names,
                "seed": str(number),
                "state": "played",
            }
        )

    def _sit(self, number: int, game: str, bots: Sequence[int]) -> bool:
        """Seats and rating changes of a match; whether a bot forfeited."""
        luck = {bot: self._strength[bot - 1] + self._random.gauss(0, 150) for bot in bots}
        order = sorted(bots, key=lambda bot: -luck[bot])
        forfeit = self._random.random() < 0.05
        for seat, bot in enumerate(bots):
            rank = 1 + order.index(bot)
            last = forfeit and rank == len(bots)
            self._seats.append(
                {
                    "match_id": number,
                    "seat": seat,
                    "bot_id": bot,
                    "rank": rank,
                    "score": 60 - 10 * rank,
                    "forfeit": self._random.choice(FORFEITS) if last else None,
                    "software": {"name": "crowd", "version": "1", "language": "Python"},
                }
            )
            self._rate(number, game, len(bots), seat, bot, rank)
        return forfeit

    def _rate(self, number: int, game: str, players: int, seat: int, bot: int, rank: int) -> None:
        history = self._ratings.setdefault((game, players, bot), [1500.0])
        aim = self._strength[bot - 1]
        after = history[-1] + (aim - history[-1]) / 20 + (1.5 - rank) * 4
        self._changes.append(
            {
                "match_id": number,
                "seat": seat,
                "bot_id": bot,
                "game": game,
                "players": players,
                "clock_class": "bullet",
                "before": history[-1],
                "after": after,
            }
        )
        history.append(after)

    def _present_ratings(self) -> Iterator[dict[str, Any]]:
        for (game, players, bot), history in sorted(self._ratings.items()):
            pool = {"game": game, "players": players, "clock_class": "bullet", "bot_id": bot}
            games = len(history) - 1
            yield {**pool, "rating": history[-1], "games": games, "provisional": games < 5}
