"""``polynya ratings``: the ratings in a database, shown and computed again."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_app.host_name import host_name
from polynya_common.database_address import DatabaseAddress
from polynya_contest.ratings.pool import ClockClass
from polynya_store import RatingRow, Store, VersionRow
from polynya_store.ratings.recompute import Difference


def show(
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    game: str | None = None,
    players: Number | None = None,
    clock: ClockClass | None = None,
    versions: Annotated[bool, Parameter(name="--versions", negative="")] = False,
    as_json: Json = False,
) -> None:
    """Show the present ratings, the highest first.

    Each has its 95 % interval. A provisional rating rests on few matches: it has
    no rank and stands below. The rating of an anchor never changes. OpenSkill's
    ratings are ordered by their ordinal, mu - 3 sigma. A bot has one rating in each
    pool, for all versions that it declares: a pool is a game, a number of players,
    a clock class (how long a bot may think in a match) and the game's options.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        game: Only those in this game.
        players: Only those in matches of this number of players.
        clock: Only those of this clock class.
        versions: Show the ratings of all versions that each bot has declared, the oldest first.
        as_json: Write JSON instead of a table.
    """
    none = _none(database, game, players, clock)
    with Store.open(database) as store:
        if versions:
            of_versions = store.ratings.versions(game=game, players=players, clock_class=clock)
            _write_versions(of_versions, as_json, none)
        else:
            rows = store.ratings.find(game=game, players=players, clock_class=clock)
            _write_ratings(rows, as_json, none)


def _none(
    database: DatabaseAddress, game: str | None, players: int | None, clock: str | None
) -> str:
    """The sentence where there are none of these."""
    in_game = "" if game is None else f" in {game}"
    of_players = "" if players is None else f" with {players} players"
    of_clock = "" if clock is None else f" of the clock class {clock}"
    return (
        f"{database} holds no ratings{in_game}{of_players}{of_clock}: bots get them by rated "
        "matches, with 'polynya tournament run', 'polynya serve' or 'polynya match --database'"
    )


def _write_ratings(rows: Sequence[RatingRow], as_json: bool, none: str) -> None:
    if as_json:
        write_json([_document(row) for row in rows])
        return
    skill = any(row.system == "openskill" for row in rows)
    pool = _pool_columns(rows)
    columns = [">rank", "bot", "version", *pool, *_FIGURES, "", *[">ordinal"] * skill]
    write_table(columns, _cells(rows, skill=skill), without_rows=none)


def _pool_columns(rows: Sequence[RatingRow | VersionRow]) -> list[str]:
    """The headings of a pool; options only if some pool has unusual ones."""
    return ["game", ">players", "clock", *["options"] * any(row.variant for row in rows)]


def _pool(row: RatingRow | VersionRow, rows: Sequence[RatingRow | VersionRow]) -> list[object]:
    cells = (row.game, row.players, row.clock_class, row.variant)
    return list(cells[: len(_pool_columns(rows))])


_FIGURES = (">rating", ">95 % interval", ">matches")


def _document(row: RatingRow) -> dict[str, Any]:
    return {**dataclasses.asdict(row), "interval": row.interval, "ordinal": row.ordinal}


def _cells(rows: Sequence[RatingRow], *, skill: bool) -> list[list[object]]:
    cells: list[list[object]] = []
    for row in rows:
        mark = "anchor" if row.anchor else "provisional" if row.provisional else ""
        ordinal = [f"{row.ordinal:.2f}" if row.system == "openskill" else ""] * skill
        who = [row.rank, row.bot, row.version, *_pool(row, rows)]
        cells.append([*who, *_figures(row), mark, *ordinal])
    return cells


def _figures(row: RatingRow | VersionRow) -> list[object]:
    digits = 2 if row.system == "openskill" else 0
    low, high = row.interval
    return [f"{row.rating:.{digits}f}", f"{low:.{digits}f} to {high:.{digits}f}", row.games]


def _write_versions(rows: Sequence[VersionRow], as_json: bool, none: str) -> None:
    if as_json:
        write_json([dataclasses.asdict(row) for row in rows])
        return
    write_table(
        ["bot", "version", *_pool_columns(rows), *_FIGURES, "", "since"],
        [
            [
                row.bot,
                row.version or "none declared",
                *_pool(row, rows),
                *_figures(row),
                ", ".join(["provisional"] * row.provisional + ["present"] * row.present),
                row.first_match,
            ]
            for row in rows
        ],
        without_rows=none,
    )


def recompute_ratings(
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    only_check: Annotated[bool, Parameter(name="--check")] = False,
    as_json: Json = False,
) -> int:
    """Compute all ratings again from the recorded results, and correct them.

    The numbers are the same as those recorded while playing; the command names
    each difference. No server or tournament may be using the database.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        only_check: Change nothing; exit code 1 if a recorded rating differs.
        as_json: Write the differences as JSON.
    """
    with Store.open(database, for_play=not only_check) as store:
        found = store.ratings.differences()
        rewritten = None if only_check else store.ratings.recompute()
        if not only_check:
            store.interventions.note_recomputed(host_name())
    if as_json:
        write_json([dataclasses.asdict(each) for each in found])
    else:
        for each in found:
            complain(_sentence(each))
        done = "checked" if rewritten is None else f"computed, {rewritten.changes} changes written"
        if rewritten is not None and rewritten.made_up:
            write_line(f"results that could not be rated before, rated now: {rewritten.made_up}")
        write_line(f"ratings {done}: {len(found)} differed from the recorded ones")
    return int(only_check and bool(found))


def _sentence(difference: Difference) -> str:
    when = "at present" if difference.match is None else f"after {difference.match}"
    of_version = "" if difference.version is None else f", version {difference.version!r}"
    options = f", {difference.variant}" if difference.variant else ""
    figure = "" if difference.figure == "rating" else f"{difference.figure} "
    return (
        f"{difference.bot} in {difference.game} with {difference.players} players "
        f"({difference.clock_class}{options}){of_version} {when}: "
        f"{figure}recorded {_number(difference.recorded)}, "
        f"the results give {_number(difference.computed)}"
    )


def _number(rating: float | None) -> str:
    return "none" if rating is None else repr(rating)
