"""What must hold of a database after everything that was done to its bots and its server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import sqlalchemy as sa
from tests.chaos.injuries import Injury
from tests.chaos.zoo import Animal

from polynya_common.errors import NotInStoreError
from polynya_conformance.replay import verify
from polynya_protocol.messages import ForfeitReason
from polynya_server.errors import NO_NEW_MATCHES
from polynya_server.records import ForfeitRecord, MatchRecord, decode_replay
from polynya_store import MatchRow, Store
from polynya_store.backends.backend import VOID

WITHOUT_REPLAY = frozenset({VOID, NO_NEW_MATCHES})
"""Why a match has no replay: its server was killed in it, or stopped before its first turn."""


def violations(store: Store, animals: Sequence[Animal], injuries: Sequence[Injury]) -> list[str]:
    """Everything that is wrong, in sentences; nothing if nothing is."""
    culprits = {animal.name: animal.reasons for animal in animals}
    found = [f"ratings: {difference}" for difference in store.ratings.differences()]
    for row in store.matches.find():
        found += [f"{row.match}: {what}" for what in _of_match(store, row, culprits, injuries)]
    return found


def schedule_violations(store: Store, tournament: str) -> list[str]:
    """What is wrong with a tournament that has been played: not every match has one result."""
    with store.database.reading() as connection:
        results = connection.execute(
            sa.text(
                "SELECT pairings.number, pairings.state, COUNT(matches.id) FROM pairings "
                "JOIN tournaments ON tournaments.id = pairings.tournament_id "
                "LEFT JOIN matches ON matches.pairing_id = pairings.id "
                "AND matches.reason IN ('finished', 'forfeit') "
                "WHERE tournaments.name = :tournament GROUP BY pairings.id"
            ),
            {"tournament": tournament},
        ).all()
    return [
        f"pairing {number} is {state} and has {count} results"
        for number, state, count in results
        if (state, count) != ("played", 1)
    ]


def forfeits(store: Store) -> Iterator[tuple[str, ForfeitReason]]:
    """Every forfeit in a match with a result: the bot and the reason."""
    for _, document in store.matches.replays():
        record = decode_replay(document)
        for event in _forfeits(record):
            yield record.setup.players[event.seat], event.reason


def _of_match(
    store: Store,
    row: MatchRow,
    culprits: Mapping[str, frozenset[ForfeitReason]],
    injuries: Sequence[Injury],
) -> Iterator[str]:
    if row.reason is None:
        yield "it has neither a result nor an end"
        return
    if row.reason == "aborted" and row.seats[0].rank is not None:
        yield "it was aborted and has a result"
    if row.reason == "aborted" and row.detail in WITHOUT_REPLAY:
        return
    try:
        record = decode_replay(store.matches.replay(row.match))
    except NotInStoreError:
        yield f"it has no replay: {row.detail}"
        return
    yield from verify.differences(record)
    if record.setup.match != row.match:
        yield f"its replay is of {record.setup.match}"
    if record.ranking != [seat.rank for seat in row.seats] and record.ranking is not None:
        yield f"its ranking is {record.ranking} in the replay"
    for event in _forfeits(record):
        name = record.setup.players[event.seat]
        is_own_doing = event.reason in culprits.get(name, ())
        if not is_own_doing and not any(_explains(one, name, event, record) for one in injuries):
            yield f"{name} forfeited by {event.reason} without having done so: {event.detail}"


def _forfeits(record: MatchRecord) -> list[ForfeitRecord]:
    return record.forfeits


def _explains(injury: Injury, name: str, forfeit: ForfeitRecord, record: MatchRecord) -> bool:
    overlaps = (
        injury.began_ms <= record.finished_ms + 1 and record.started_ms - 1 <= injury.ended_ms
    )
    return injury.bot == name and forfeit.reason in injury.reasons and overlaps
