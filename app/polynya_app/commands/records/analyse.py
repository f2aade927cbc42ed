"""``polynya ratings analyse``: the strengths of bots from any selection of recorded results."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_common.database_address import DatabaseAddress
from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.text import join_words, moment_ms
from polynya_contest.ratings.pool import ClockClass
from polynya_evidence.analysis import analyse
from polynya_evidence.reports import data_tables, tables
from polynya_evidence.reports.data_tables import write_csv
from polynya_store import Kind, Selection, Store
from polynya_tournaments.tournament.status import require_revealed

MOST_BOTS = 1_000
"""With more, the estimate takes minutes."""

Names = Annotated[tuple[str, ...], Parameter(json_list=False, show_default=False)]


@Parameter(name="*")
@dataclass(frozen=True)
class SelectionFlags:
    """The matches whose results count.

    Attributes:
        game: Only matches of this game; needed if there are several.
        players: Only matches of this number of players; needed if there are several.
        clock: Only matches of this clock class.
        options: Only matches with these unusual options, as 'polynya ratings' shows them; "" for
            the usual ones.
        since: Only matches that ended at this time (UTC) or later: a date, or a date and time such
            as 2026-11-25T18:00.
        until: Only matches that ended before this time, written in the same way.
        tournament: Only matches of this tournament; may be given several times.
        bots: Only matches in which all bots are among these names.
        reveal: Use results even before ``results_from``.
    """

    game: str | None = None
    players: Number | None = None
    clock: ClockClass | None = None
    options: Annotated[str | None, Parameter(name="--options")] = None
    since: str | None = None
    until: str | None = None
    tournament: Names = ()
    bots: Annotated[Names, Parameter(consume_multiple=True)] = ()
    reveal: bool = False

    def selection(self) -> Selection:
        """The selection of matches, as the store reads it.

        Raises:
            ConfigurationError: ``since`` or ``until`` is no time.
        """
        return Selection(
            game=self.game,
            players=self.players,
            clock_class=self.clock,
            variant=self.options,
            since_ms=None if self.since is None else moment_ms(self.since, "since"),
            until_ms=None if self.until is None else moment_ms(self.until, "until"),
            tournaments=self.tournament,
            bots=self.bots,
            revealed=self.reveal,
        )


def analyse_ratings(
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    selected: SelectionFlags | None = None,
    as_json: Json = False,
    csv_folder: Annotated[Path | None, Parameter(name="--csv")] = None,
) -> None:
    """Estimate all strengths at once from recorded results, with 95 % intervals.

    The command makes the estimate of 'polynya tournament report' for a ladder, for
    several tournaments or for any other selection of matches. Old and new results
    count equally: the estimate assumes that no bot has changed. After many
    matches, or with bots of very different strength, it is more accurate than
    online ratings; docs/ratings.md has figures. Annulled results do not count.

    The command needs numpy: pip install 'polynya[host]', or 'polynya[report]'.

    Args:
        database: A file, or postgresql://USER@HOST/NAME.
        selected: The matches whose results count.
        as_json: Write JSON instead of tables.
        csv_folder: Also write each table as a CSV file into this folder.
    """
    selected = selected or SelectionFlags()
    selection = selected.selection()
    with Store.open(database) as store:
        for name in selected.tournament:
            require_revealed(store, name, reveal=selected.reveal)
        for name in selected.bots:
            store.bots.get(name)
        kinds = store.matches.kinds(selection)
        kind = _one_game(database, kinds)
        found = store.matches.selected(
            dataclasses.replace(selection, game=kind.game, players=kind.players)
        )
    if len(found.names) > MOST_BOTS:
        raise TournamentError(
            f"{len(found.names)} bots are too many for one analysis, the most are {MOST_BOTS}; "
            "select fewer with --bots, --since or --tournament"
        )
    analysis = analyse(found.names, kind.players, found.blocks, with_companions=False)
    if csv_folder is not None:
        write_csv(csv_folder, data_tables.analysis_tables(analysis))
    if as_json:
        matches = [{**dataclasses.asdict(one), "matches": count} for one, count in kinds.items()]
        write_json({"matches": matches, **dataclasses.asdict(analysis)})
        return
    write_line(_headline(kinds))
    write_line(tables.draws(analysis))
    for table in tables.analysis_tables(analysis):
        if not table.long:
            write_table(table.columns, table.rows, title=table.title)
            if table.note:
                write_line(table.note)
    if csv_folder is not None:
        write_line(f"written to {csv_folder}")


def _one_game(database: DatabaseAddress, kinds: Mapping[Kind, int]) -> Kind:
    """A kind of the game and the number of players that all selected matches have.

    Raises:
        ConfigurationError: there are none, or several.
    """
    if not kinds:
        raise ConfigurationError(f"{database} holds no results of this selection")
    played = list(dict.fromkeys((one.game, one.players) for one in kinds))
    if len(played) > 1:
        there_are = join_words([f"{game} with {players} players" for game, players in played])
        raise ConfigurationError(
            f"there are results of {there_are}; choose one with --game and --players"
        )
    return next(iter(kinds))


def _headline(kinds: Mapping[Kind, int]) -> str:
    first = next(iter(kinds))
    how = join_words(
        [
            f"{count} {', '.join(filter(None, (kind.clock_class, kind.variant)))}"
            for kind, count in kinds.items()
        ]
    )
    return f"{first.game}, {first.players} players: {sum(kinds.values())} matches ({how})"
