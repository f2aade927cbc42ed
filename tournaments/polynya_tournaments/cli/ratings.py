"""``polynya ratings``: the Elo ratings in a database, shown and computed again."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_tournaments.cli.output import complain, write_json, write_line, write_table
from polynya_tournaments.cli.parameters import DEFAULT_DATABASE, Json, Number
from polynya_tournaments.recompute import Difference, differences, recompute
from polynya_tournaments.store import RatingRow, Store


def show(
    *,
    database: Path = DEFAULT_DATABASE,
    game: str | None = None,
    players: Number | None = None,
    as_json: Json = False,
) -> None:
    """Show the present ratings, the highest first.

    Args:
        database: The database file.
        game: Only those in this game.
        players: Only those in matches of this number of players.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        rows = store.ratings(game=game, players=players)
    if as_json:
        write_json([dataclasses.asdict(row) for row in rows])
    else:
        write_table([">", "bot", "game", ">players", ">rating", ">matches"], _cells(rows))


def _cells(rows: list[RatingRow]) -> list[list[object]]:
    """The rows with a place, which is counted anew for each game and number of players."""
    cells: list[list[object]] = []
    place, of = 0, None
    for row in rows:
        place = place + 1 if of == (row.game, row.players) else 1
        of = (row.game, row.players)
        cells.append([place, row.bot, row.game, row.players, f"{row.rating:.1f}", row.games])
    return cells


def recompute_ratings(
    *,
    database: Path = DEFAULT_DATABASE,
    only_check: Annotated[bool, Parameter(name="--check")] = False,
    as_json: Json = False,
) -> int:
    """Compute all ratings again from the recorded results, and put them right.

    The results give the same numbers as were recorded while playing; what
    differs is named. Nothing else may be playing into the database.

    Args:
        database: The database file.
        only_check: Change nothing; exit code 1 if a recorded rating differs.
        as_json: Write the differences as JSON.
    """
    with Store.open(database, for_play=not only_check) as store:
        found = differences(store)
        written = 0 if only_check else recompute(store)
    if as_json:
        write_json([dataclasses.asdict(each) for each in found])
    else:
        for each in found:
            complain(_sentence(each))
        done = "checked" if only_check else f"computed, {written} changes written"
        write_line(f"ratings {done}: {len(found)} differed from the recorded ones")
    return int(only_check and bool(found))


def _sentence(difference: Difference) -> str:
    when = "at present" if difference.match is None else f"after {difference.match}"
    return (
        f"{difference.bot} in {difference.game} with {difference.players} players {when}: "
        f"recorded {_number(difference.recorded)}, the results give {_number(difference.computed)}"
    )


def _number(rating: float | None) -> str:
    return "none" if rating is None else repr(rating)
