"""Two databases as one new file; both stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from heapq import merge
from itertools import accumulate, islice
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_server.records import decode_replay, encode_replay
from polynya_store import schema
from polynya_store.backends.sqlite.backend import check_path
from polynya_store.backends.sqlite.files import back_up
from polynya_store.backends.sqlite.lock import lock_for_play
from polynya_store.imports.merge_plan import MergePlan, contents, plan_merge
from polynya_store.ladder import interventions
from polynya_store.ratings import applied_ratings
from polynya_store.ratings.rating_order import timed
from polynya_store.store import Store

_AT_ONCE = 500
Row = dict[str, Any]


class Merge:
    """Two databases that are being merged, as copies, so that they stay as they are.

    Args:
        stores: copies of the first and the second database.
        paths: where the databases themselves are.
        same_bots: whether bots of the same name with different tokens are the same bot.

    Attributes:
        plan: what is to be made, and what stands against it.
    """

    def __init__(
        self, stores: tuple[Store, Store], paths: tuple[Path, Path], *, same_bots: bool
    ) -> None:
        self._stores = stores
        self._paths = paths
        with ExitStack() as stack:
            first, second = (stack.enter_context(one.database.reading()) for one in stores)
            self.plan: MergePlan = plan_merge(
                contents(first), contents(second), same_bots=same_bots
            )

    def write(self, new: Path, who: str) -> int:
        """Make the merged database; how many matches it has.

        Raises:
            StoreError: something stands against it, there is a file ``new`` already, or it cannot
                be written.
        """
        if self.plan.refusals:
            raise StoreError("; ".join(self.plan.refusals))
        with TemporaryDirectory(dir=new.parent, prefix=".merge-") as folder:
            made = Path(folder) / "merged.sqlite"
            with Store.open(made, for_play=True, durable=False) as target, ExitStack() as stack:
                sources = [stack.enter_context(one.database.reading()) for one in self._stores]
                with target.database.writing() as connection:
                    _Copying(connection, sources, self._paths, self.plan).copy(who)
            return back_up(made, new)


@contextmanager
def opened_for_merge(
    first: Path, second: Path, *, same_bots: bool = False, workspace: Path | None = None
) -> Iterator[Merge]:
    """Two databases to be merged, into which no process plays meanwhile.

    Args:
        first: its bots and matches are taken where both databases have them.
        second: the other one.
        same_bots: whether bots of the same name with different tokens are the same bot.
        workspace: the folder for copies of both, as large as they are; default: the system's.

    Raises:
        StoreError: one of them is no database or in use, or both are the same file.
    """
    for path in (first, second):
        check_path(path, create=False)
    if first.samefile(second):
        raise StoreError(f"{first} and {second} are the same file")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix=".merge-", dir=workspace)))
        copies = []
        for number, path in enumerate((first, second)):
            stack.enter_context(closing(lock_for_play(path)))
            copy = folder / f"{number}.sqlite"
            back_up(path, copy)
            copies.append(stack.enter_context(Store.open(copy, for_play=True, durable=False)))
        yield Merge((copies[0], copies[1]), (first, second), same_bots=same_bots)


class _Copying:
    """The rows of two databases on their way into a third, with their ids there."""

    def __init__(
        self,
        target: sa.Connection,
        sources: Sequence[sa.Connection],
        paths: Sequence[Path],
        plan: MergePlan,
    ) -> None:
        self._target = target
        self._sources = sources
        self._paths = paths
        self._plan = plan
        self._bots: tuple[dict[int, int], ...] = ({}, {})
        self._tournaments: tuple[dict[int, int], ...] = ({}, {})
        self._pairings: tuple[dict[int, int], ...] = ({}, {})
        self._interventions: tuple[dict[int, int], ...] = ({}, {})
        self._matches: tuple[dict[int, int], ...] = ({}, {})

    def copy(self, who: str) -> None:
        """All of it, and the ratings computed from it."""
        self._insert(schema.operators, self._rows(0, schema.operators))
        self._copy_bots()
        self._copy_tournaments()
        self._copy_interventions()
        self._copy_matches()
        for table in (schema.annulments, schema.imported_matches):
            self._insert(table, self._by_match(table))
        ended = self._in_order_of_time()
        applied_ratings.rewrite(self._target, applied_ratings.each_result(self._target, ended))
        names = f"{self._paths[0].name} and {self._paths[1].name}"
        interventions.note(
            self._target, "merge", who, f"the databases {names}", matches=len(self._matches[1])
        )

    def _rows(self, side: int, table: sa.Table, *where: sa.ColumnElement[bool]) -> Iterator[Row]:
        question = sa.select(table).where(*where).order_by(*table.primary_key.columns)
        for row in self._sources[side].execute(question):
            yield dict(row._mapping)

    def _insert(self, table: sa.Table, rows: Iterable[Row]) -> None:
        left = iter(rows)
        while some := list(islice(left, _AT_ONCE)):
            self._target.execute(sa.insert(table), some)

    def _copy_bots(self) -> None:
        """One bot for each name, the first database's before the second's."""
        found: dict[str, Row] = {}
        for side in (0, 1):
            for row in self._rows(side, schema.bots):
                known = found.get(row["name"])
                found[row["name"]] = row if known is None else _one_bot(known, row)
        ordered = sorted(found.values(), key=lambda row: (row["created_ms"], row["name"]))
        ids = {row["name"]: number for number, row in enumerate(ordered, start=1)}
        for side in (0, 1):
            for row in self._rows(side, schema.bots):
                self._bots[side][row["id"]] = ids[row["name"]]
        self._insert(schema.bots, ({**row, "id": ids[row["name"]]} for row in ordered))

    def _copy_tournaments(self) -> None:
        """Each tournament as a whole from one database, with its bots and what was drawn."""
        taken = [
            (row["created_ms"], side, row)
            for side in (0, 1)
            for row in self._rows(side, schema.tournaments)
            if self._plan.tournaments[row["name"]] == side
        ]
        rows = []
        for number, (_, side, row) in enumerate(sorted(taken, key=itemgetter(0)), start=1):
            self._tournaments[side][row["id"]] = number
            rows.append({**row, "id": number, "logs": row["logs"] or self._logs(side)})
        self._insert(schema.tournaments, rows)
        for table in (schema.entrants, schema.submissions):
            self._insert(table, self._of_tournaments(table))
        self._insert(schema.pairings, self._drawn())

    def _logs(self, side: int) -> str:
        """The folder of logs beside a database, where they stay."""
        return f"{str(self._paths[side].absolute()).removesuffix('.sqlite')}-logs"

    def _of_tournaments(self, table: sa.Table) -> Iterator[Row]:
        for side in (0, 1):
            for row in self._rows(side, table):
                tournament = self._tournaments[side].get(row["tournament_id"])
                if tournament is not None:
                    bot = self._bots[side][row["bot_id"]]
                    yield {**row, "tournament_id": tournament, "bot_id": bot}

    def _drawn(self) -> Iterator[Row]:
        number = 0
        for side in (0, 1):
            for row in self._rows(side, schema.pairings):
                tournament = self._tournaments[side].get(row["tournament_id"])
                if tournament is not None:
                    number += 1
                    self._pairings[side][row["id"]] = number
                    yield {**row, "id": number, "tournament_id": tournament}

    def _copy_interventions(self) -> None:
        """Copy them in the order of their times; each that both databases have is copied once."""
        numbers: dict[tuple[Any, ...], int] = {}
        rows = []
        found = (
            [(row["at_ms"], side, row) for row in self._rows(side, schema.interventions)]
            for side in (0, 1)
        )
        for _, side, row in merge(*found, key=itemgetter(0)):
            bot = None if row["bot_id"] is None else self._bots[side][row["bot_id"]]
            told = {**row, "bot_id": bot, "id": None}
            key = tuple(told.values())
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                rows.append({**told, "id": numbers[key]})
            self._interventions[side][row["id"]] = numbers[key]
        self._insert(schema.interventions, rows)

    def _copy_matches(self) -> None:
        """In the order in which they began, each database's in its own order."""
        begun = [
            self._timed_matches(side, schema.matches.c.started_ms, self._plan.skipped[side])
            for side in (0, 1)
        ]
        ordered = list(merge(*begun, key=itemgetter(0)))
        for number, (_, side, match) in enumerate(ordered, start=1):
            self._matches[side][match] = number
        for begin in range(0, len(ordered), _AT_ONCE):
            some = ordered[begin : begin + _AT_ONCE]
            for side in (0, 1):
                self._copy_some(side, [match for _, of, match in some if of == side])

    def _timed_matches(
        self, side: int, column: sa.ColumnElement[int], skipped: frozenset[str]
    ) -> list[tuple[int, int, int]]:
        matches = schema.matches.c
        rows = self._sources[side].execute(
            sa.select(matches.id, matches.name, column.label("at_ms")).order_by(matches.id)
        )
        taken = [(row.at_ms, row.id) for row in rows if row.name not in skipped]
        times = accumulate((at_ms for at_ms, _ in taken), max)
        return [(at_ms, side, match) for at_ms, (_, match) in zip(times, taken, strict=True)]

    def _copy_some(self, side: int, ids: Sequence[int]) -> None:
        if not ids:
            return
        of_match = self._matches[side]
        seats, replays = schema.seats, schema.replays
        self._insert(
            schema.matches,
            (
                {
                    **row,
                    "id": of_match[row["id"]],
                    "name": self._name(side, row["name"]),
                    "pairing_id": self._pairings[side].get(row["pairing_id"]),
                }
                for row in self._rows(side, schema.matches, schema.matches.c.id.in_(ids))
            ),
        )
        self._insert(
            seats,
            (
                {
                    **row,
                    "match_id": of_match[row["match_id"]],
                    "bot_id": self._bots[side][row["bot_id"]],
                }
                for row in self._rows(side, seats, seats.c.match_id.in_(ids))
            ),
        )
        self._insert(
            replays,
            (
                {
                    "match_id": of_match[row["match_id"]],
                    "document": self._document(side, row["document"]),
                }
                for row in self._rows(side, replays, replays.c.match_id.in_(ids))
            ),
        )

    def _name(self, side: int, name: str) -> str:
        return self._plan.renamed.get(name, name) if side else name

    def _document(self, side: int, document: bytes) -> bytes:
        """A replay; it bears the new id of its match if that has got one."""
        if not side or not self._plan.renamed:
            return document
        record = decode_replay(document)
        name = self._plan.renamed.get(record.setup.match)
        if name is None:
            return document
        setup = msgspec.structs.replace(record.setup, match=name)
        return encode_replay(msgspec.structs.replace(record, setup=setup))

    def _by_match(self, table: sa.Table) -> Iterator[Row]:
        for side in (0, 1):
            for row in self._rows(side, table):
                match = self._matches[side].get(row["match_id"])
                if match is not None:
                    number = self._interventions[side][row["intervention_id"]]
                    yield {**row, "match_id": match, "intervention_id": number}

    def _in_order_of_time(self) -> list[int]:
        """The new ids of all rated matches: each database's order stands, merged by their times."""
        ended = []
        for side in (0, 1):
            connection, taken = self._sources[side], self._matches[side]
            times = applied_ratings.ended_ms(connection)
            ordered = timed(applied_ratings.rated_results(connection), times)
            ended.append([(ms, taken.get(result.match_id)) for ms, result in ordered])
        return [match for _, match in merge(*ended, key=itemgetter(0)) if match is not None]


def _one_bot(first: Mapping[str, Any], second: Mapping[str, Any]) -> Row:
    """A bot of both databases: the first one's, with the values that only the second has."""
    known = dict(first)
    if first["token_hash"] is None and first["revoked_ms"] is None:
        known["token_hash"], known["revoked_ms"] = second["token_hash"], second["revoked_ms"]
    if first["suspended_ms"] is None:
        for column in ("suspended_ms", "suspension"):
            known[column] = second[column]
    known["created_ms"] = min(first["created_ms"], second["created_ms"])
    known["guest"] = first["guest"] and second["guest"]
    return known
