"""A tournament of four bots with one outcome, however often it is interrupted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from polynya_common.database_address import DatabaseAddress
from polynya_server.records import TurnRecord, decode_replay
from polynya_store import Store

BOTS = 4
CYCLES = 3
MATCHES = BOTS * (BOTS - 1) * CYCLES

BOT = """
import time
from polynya_client import run

def choose(turn):
    time.sleep(0.002)  # a match is in play most of the time
    return [turn.legal[turn.number % len(turn.legal)]]

run(choose)
"""


def described(folder: Path) -> Path:
    """Its description, in a new folder."""
    folder.mkdir()
    bots = "\n".join(
        f'[[bots]]\nname = "bot{number}"\ncommand = {json.dumps([sys.executable, "-c", BOT])}'
        for number in range(BOTS)
    )
    path = folder / "cup.toml"
    path.write_text(
        f'name = "cup"\ngame = "packeis"\nseed = 5\ncycles = {CYCLES}\n'
        f"clock = {{ initial_ms = 600_000 }}\n{bots}\n",
        encoding="utf-8",
    )
    return path


def outcome(address: DatabaseAddress) -> dict[str, Any]:
    """Everything of a tournament that must not depend on how often it was interrupted."""
    with Store.open(address) as store:
        assert store.ratings.differences() == []
        table = store.tournaments.standings("cup")
        with store.database.reading() as connection:
            changes = connection.exec_driver_sql(
                "SELECT pairings.number, seat, before, after FROM rating_changes "
                "JOIN matches ON matches.id = match_id JOIN pairings ON pairings.id = pairing_id "
                "ORDER BY rating_changes.id"
            ).all()
        return {
            "table": table,
            "ratings": store.ratings.find(),
            "changes": [tuple(change) for change in changes],
            "matches": sorted(results(store)),
        }


def results(store: Store) -> list[tuple[object, ...]]:
    """Every match with a result: its block, seed, seats, ranking, and all turns of its replay."""
    found: list[tuple[object, ...]] = []
    for row in store.matches.find():
        if row.seats[0].rank is None:
            continue
        record = decode_replay(store.matches.replay(row.match))
        seats = tuple((seat.name, seat.rank, seat.score, seat.forfeit) for seat in row.seats)
        steps = [str(event.steps) for event in record.events if isinstance(event, TurnRecord)]
        found.append((row.block, row.seed, seats, "".join(steps)))
    return found
