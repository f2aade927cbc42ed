"""Imports matches that were played elsewhere: all of a file, or none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_common.reasons import Cause
from polynya_contest.conduct import faults
from polynya_contest.ratings.model import RATING_COLUMNS, RatingSettings
from polynya_contest.ratings.pool import System, clock_class, variant
from polynya_protocol.errors import printable
from polynya_server.records import MatchRecord, encode_replay
from polynya_store import schema
from polynya_store.backends.sql import new_ids, now_ms
from polynya_store.bots.bot_repository import bot_ids
from polynya_store.database import Database
from polynya_store.ladder import interventions
from polynya_store.ratings.rating_order import rate_by_time
from polynya_store.statements import as_list, in_list

PREFIX = "imported"
"""The ids of imported matches begin with this."""
_LONGEST_ID = 64


@dataclass(frozen=True, slots=True)
class ForeignSeat:
    """The bot at a seat and its result, as in the table of seats."""

    bot: str
    rank: int | None
    score: int | None = None
    forfeit: str | None = None
    fault: bool = False
    software: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ForeignMatch:
    """A match that was played elsewhere.

    Attributes:
        there: its id where it was played; "" if it is not known.
        game, seats, rated, started_ms, finished_ms: as in ``MatchRow``.
        place: where it stands in its file, such as ``line 7``, for errors.
        occurrence: 1, or more for a match that is in all else like an earlier match of its file.
        record: the match itself, None where only its result is known.
    """

    there: str
    game: str
    seats: tuple[ForeignSeat, ...]
    finished_ms: int
    started_ms: int
    place: str
    rated: bool = True
    occurrence: int = 1
    record: MatchRecord | None = field(default=None, repr=False)

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots' names by seat."""
        return tuple(seat.bot for seat in self.seats)

    @property
    def reason(self) -> str:
        """How it ended, as in a record."""
        if self.record is not None:
            return self.record.reason
        return "forfeit" if any(seat.forfeit for seat in self.seats) else "finished"

    @property
    def results(self) -> tuple[tuple[str, int | None], ...]:
        """By seat the bot and its rank."""
        return tuple((seat.bot, seat.rank) for seat in self.seats)

    @property
    def name(self) -> str:
        """Its id in the database: derived from the match, so the same from any file.

        A match that has an id there is told by that, the bots and its time; another match by all
        that is known of it.
        """
        said: list[Any] = [self.there, self.game, self.bots, self.finished_ms]
        if not self.there:
            said += [[seat.rank, seat.score, seat.forfeit] for seat in self.seats]
            said += [self.occurrence]
        digest = hashlib.sha256(json.dumps(said).encode()).hexdigest()
        return f"{PREFIX}-{digest[:16]}"


def foreign_match_of(record: MatchRecord, place: str) -> ForeignMatch:
    """A recorded match of another database."""
    forfeits = {forfeit.seat: forfeit.reason for forfeit in record.forfeits}
    at_fault = faults(record)
    return ForeignMatch(
        there=printable(record.setup.match, limit=_LONGEST_ID),
        game=record.setup.game,
        seats=tuple(
            ForeignSeat(
                bot=bot,
                rank=record.ranking[seat] if record.ranking else None,
                score=record.scores[seat] if record.scores else None,
                forfeit=forfeits.get(seat),
                fault=seat in at_fault,
                software=msgspec.to_builtins(record.software[seat]),
            )
            for seat, bot in enumerate(record.setup.players)
        ),
        finished_ms=record.finished_ms,
        started_ms=record.started_ms,
        place=place,
        rated=record.setup.rated,
        record=record,
    )


_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Imported:
    """The counts of a finished import.

    Attributes:
        matches: how many were added.
        known: how many were there already.
        new_bots: the names that were not known before.
        recomputed: whether ratings were computed again, because later matches had been rated.
    """

    matches: int
    known: int
    new_bots: tuple[str, ...]
    recomputed: bool


def import_matches(
    database: Database,
    found: Sequence[ForeignMatch],
    source: str,
    who: Cause,
    system: System | None = None,
) -> Imported:
    """Add matches that are not in a database yet, and rate them in the order of their times.

    A match is rated as the last one of its game and number of players in the database was, with its
    anchors, and by the usual settings if there is none. It is one transaction.

    Args:
        database: the open database.
        found: the matches.
        source: the name of the file that they are from.
        who: the host.
        system: how those are rated whose game and number of players have no rating yet.

    Raises:
        StoreError: one of them ended in the future, or is in the database with another result;
            nothing is added.
    """
    with database.writing() as connection:
        return _Import(connection, source, system).add(found, who)


class _Import:
    """One import, in its transaction."""

    def __init__(self, connection: sa.Connection, source: str, system: System | None) -> None:
        self._connection = connection
        self._source = source
        self._usual = RatingSettings() if system is None else RatingSettings(system=system)
        self._settings: dict[tuple[str, int], RatingSettings] = {}
        self._pools: dict[tuple[str, int], tuple[str, str]] = {}
        self._fixed: dict[tuple[str, int], Mapping[int, float]] = {}

    def add(self, found: Sequence[ForeignMatch], who: Cause) -> Imported:
        known = self._known_bots()
        missing = self._missing(found)
        if not missing:
            return Imported(0, len(found), (), recomputed=False)
        bots = bot_ids(self._connection, (name for match in missing for name in match.bots))
        number = interventions.note(
            self._connection, "import", who, f"matches of {self._source}", matches=len(missing)
        )
        ids = new_ids(self._connection, schema.matches, len(missing))
        numbered = list(zip(ids, missing, strict=True))
        for begin in range(0, len(numbered), _AT_ONCE):
            self._insert(numbered[begin : begin + _AT_ONCE], bots, number)
        rated = [
            match_id
            for match_id, match in numbered
            if match.rated and match.seats[0].rank is not None
        ]
        recomputed = rate_by_time(self._connection, rated)
        return Imported(
            len(missing),
            len(found) - len(missing),
            tuple(sorted(bots.keys() - known)),
            recomputed,
        )

    def _known_bots(self) -> set[str]:
        bots = schema.bots.c
        return set(self._connection.scalars(sa.select(bots.name).where(bots.guest.is_(sa.false()))))

    def _missing(self, found: Sequence[ForeignMatch]) -> list[ForeignMatch]:
        """The matches that are not in the database, by their new id or by their original one."""
        latest_ms = now_ms()
        for match in found:
            if not 0 <= match.finished_ms <= latest_ms or match.started_ms > match.finished_ms:
                raise StoreError(f"{match.place}: the match did not end in the past, after 1970")
        known = self._matches([name for match in found for name in (match.there, match.name)])
        missing: dict[str, ForeignMatch] = {}
        for match in found:
            told = (match.finished_ms, *match.results)
            if known.get(match.there) == told:
                continue
            here = missing[match.name].results if match.name in missing else match.results
            if match.results != here or known.get(match.name, told) != told:
                raise StoreError(
                    f"{match.place}: the match {match.there} is there already, with another result"
                )
            if match.name not in known:
                missing.setdefault(match.name, match)
        return sorted(missing.values(), key=lambda match: match.finished_ms)

    def _matches(self, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        """The marks of a match of the database: time of its end, bots and their ranks, by name."""
        matches, seats, bots = schema.matches.c, schema.seats.c, schema.bots.c
        rows = self._connection.execute(
            sa.select(matches.name, matches.finished_ms, bots.name.label("bot"), seats.rank)
            .select_from(schema.matches.join(schema.seats).join(schema.bots))
            .where(matches.name.in_(in_list("names", sa.Text())))
            .order_by(matches.id, seats.seat),
            {"names": as_list(names)},
        )
        found: dict[str, tuple[Any, ...]] = {}
        for row in rows:
            found[row.name] = (*found.get(row.name, (row.finished_ms,)), (row.bot, row.rank))
        return found

    def _insert(
        self, numbered: Sequence[tuple[int, ForeignMatch]], bots: Mapping[str, int], number: int
    ) -> None:
        rows = [self._match_row(match_id, match) for match_id, match in numbered]
        self._connection.execute(sa.insert(schema.matches), rows)
        self._connection.execute(
            sa.insert(schema.seats),
            [row for one in numbered for row in self._seat_rows(*one, bots)],
        )
        replays = [
            {"match_id": match_id, "document": _document(match.record, match.name)}
            for match_id, match in numbered
            if match.record is not None
        ]
        if replays:
            self._connection.execute(sa.insert(schema.replays), replays)
        origins = [
            {"match_id": match_id, "intervention_id": number, "origin": self._origin(match)}
            for match_id, match in numbered
        ]
        self._connection.execute(sa.insert(schema.imported_matches), origins)

    def _origin(self, match: ForeignMatch) -> str:
        return f"{self._source}, there {match.there}" if match.there else self._source

    def _match_row(self, match_id: int, match: ForeignMatch) -> dict[str, Any]:
        record = match.record
        setup = None if record is None else record.setup
        return {
            "id": match_id,
            "name": match.name,
            "attempt": 1,
            "game": match.game,
            "players": len(match.seats),
            "options": {} if setup is None else setup.options,
            "clock": {} if setup is None else msgspec.to_builtins(setup.clock),
            "seed": "0" if setup is None else str(setup.seed),
            "rated": match.rated,
            **self._rated_as(match.game, len(match.seats)).columns,
            **self._pool(match),
            "started_ms": match.started_ms,
            "finished_ms": match.finished_ms,
            "reason": match.reason,
            "termination": None if record is None else record.termination,
            "detail": None if record is None else record.detail,
            "server_fault": record is not None and record.server_fault,
            "server": "" if record is None else record.server,
        }

    def _pool(self, match: ForeignMatch) -> dict[str, str]:
        """The match's pool, by its clock and options; without these that of the last match here."""
        key = (match.game, len(match.seats))
        if match.record is not None:
            setup = match.record.setup
            found: tuple[str, str] = (
                clock_class(setup.clock),
                variant(setup.game, setup.options),
            )
        else:
            self._rated_as(*key)
            found = self._pools[key]
        return dict(zip(("clock_class", "variant"), found, strict=True))

    def _seat_rows(
        self, match_id: int, match: ForeignMatch, bots: Mapping[str, int]
    ) -> Iterator[dict[str, Any]]:
        anchors = self._anchors(match.game, len(match.seats))
        for seat, one in enumerate(match.seats):
            yield {
                "match_id": match_id,
                "seat": seat,
                "bot_id": bots[one.bot],
                "rank": one.rank,
                "score": one.score,
                "forfeit": one.forfeit,
                "fault": one.fault,
                "software": one.software,
                "anchor": anchors.get(bots[one.bot]),
            }

    def _anchors(self, game: str, players: int) -> Mapping[int, float]:
        """The ratings that were fixed in the last matches of the same kind, by the bots' ids."""
        key = (game, players)
        if key not in self._fixed:
            ratings = schema.ratings.c
            rows = self._connection.execute(
                sa.select(ratings.bot_id, ratings.rating).where(
                    ratings.game == game,
                    ratings.players == players,
                    ratings.system == self._rated_as(game, players).system,
                    ratings.anchor,
                )
            )
            self._fixed[key] = {row.bot_id: row.rating for row in rows}
        return self._fixed[key]

    def _rated_as(self, game: str, players: int) -> RatingSettings:
        """Rating settings of the last match of the same kind."""
        key = (game, players)
        if key not in self._settings:
            matches = schema.matches.c
            row = self._connection.execute(
                sa.select(
                    *(matches[name] for name in RATING_COLUMNS),
                    matches.clock_class,
                    matches.variant,
                )
                .where(matches.game == game, matches.players == players, matches.rated)
                .order_by(matches.id.desc())
                .limit(1)
            ).one_or_none()
            self._settings[key] = self._usual if row is None else RatingSettings.of_row(row)
            self._pools[key] = ("unknown", "") if row is None else (row.clock_class, row.variant)
        return self._settings[key]


def _document(record: MatchRecord, name: str) -> bytes:
    """The replay with the match's id in this database."""
    setup = msgspec.structs.replace(record.setup, match=name)
    return encode_replay(msgspec.structs.replace(record, setup=setup))
