"""Workers play what this process would have played: the same matches, moves, table and ratings."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.tournaments.distribution.clusters import Run, write_cup

from polynya_server.records import TurnRecord, decode_replay
from polynya_store import Store

THIRD = f"""
[[bots]]
name = "cid"
command = [{sys.executable!r}, "bot.py"]
directory = "cid"
"""
BOT = """
import os
import random
from polynya_client import run
dice = random.Random(os.environ["POLYNYA_SEED"])
print("begun with", os.environ["POLYNYA_SEED"], flush=True)
run(lambda turn: [dice.choice(turn.legal)])
"""


def played(database: Path) -> dict[str, object]:
    """What was played, without the times."""
    found: dict[str, object] = {}
    with Store.open(database) as store:
        for name, document in store.matches.replays():
            record = decode_replay(document)
            turns = [event.steps for event in record.events if isinstance(event, TurnRecord)]
            found[name] = (
                record.setup.players,
                record.setup.seed,
                record.state,
                turns,
                record.ranking,
                record.scores,
                record.reason,
            )
        found["ratings"] = store.ratings.find()
        assert store.ratings.differences() == []
    return found


def test_records_table_and_ratings_are_the_same_with_workers_and_without(tmp_path: Path) -> None:
    here = write_cup(tmp_path / "here", cycles=2, more=THIRD)
    there = write_cup(tmp_path / "there", cycles=2, more=THIRD)
    for description in (here, there):
        (description.parent / "cid").mkdir()
        (description.parent / "cid" / "bot.py").write_text(BOT)
    one = Run(without_dask(here))
    assert one.code() == 0, one.said()
    two = Run(there, "--dask", "local", "--workers", "2")
    assert two.code() == 0, two.said()
    assert one.table() == two.table()
    expected, found = (played(path.parent / "cup.sqlite") for path in (here, there))
    assert len(expected) == 13
    assert without_times(expected) == without_times(found)
    assert reports(here.parent / "cup.sqlite") == reports(there.parent / "cup.sqlite")
    assert {None} == workers(here.parent / "cup.sqlite")
    assert all("@" in (name or "") for name in workers(there.parent / "cup.sqlite"))


def reports(database: Path) -> list[tuple[object, ...]]:
    """What is recorded of the processes: all but what follows from times."""
    with Store.open(database) as store:
        rows = [row for bot in ("ann", "bob", "cid") for row in store.processes.of_bot(bot, 100)]
    assert [row for row in rows if not row.report.cpu_ms] == []
    assert len([row for row in rows if row.report.last_lines]) >= 8  # cid's
    return [
        (
            row.match,
            row.seat,
            row.bot,
            row.report.sandbox,
            row.report.ended,
            len(row.report.cpu_ms),
            row.report.last_lines[:1] if row.bot == "cid" else [],
        )
        for row in sorted(rows, key=lambda row: (row.match, row.seat))
    ]


def workers(database: Path) -> set[str | None]:
    with Store.open(database) as store:
        return {decode_replay(document).worker for _, document in store.matches.replays()}


def without_dask(description: Path) -> Path:
    lines = description.read_text().splitlines()
    description.write_text("\n".join(line for line in lines if not line.startswith("dask")))
    return description


def without_times(found: dict[str, object]) -> dict[str, object]:
    ratings = found["ratings"]
    assert isinstance(ratings, list)
    return {**found, "ratings": [(row.bot, row.rating, row.games) for row in ratings]}
