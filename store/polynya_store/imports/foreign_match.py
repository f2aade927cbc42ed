"""A match that was played elsewhere, as it is brought into a database."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import msgspec

from polynya_contest.conduct import faults
from polynya_protocol.errors import printable
from polynya_server.records import MatchRecord

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
        """Its id in the database: the same for the same match, also if it comes from another file.

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
