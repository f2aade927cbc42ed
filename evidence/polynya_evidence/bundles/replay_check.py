"""Checks a replay of a bundle against the schedule, the description, and what servers write."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from polynya_common.errors import TournamentError
from polynya_conformance.replay.verify import parse_replay
from polynya_contest.config.duplicate_deals import counts_for_ratings
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.ratings.model import version_of
from polynya_evidence.bundles.known_fields import unknown_field
from polynya_evidence.reports.evidence import DrawnMatch
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord, encode_replay
from polynya_server.settings import ServerSettings

LAG_MS = ServerSettings().lag_ms
"""Maximum uncharged time of a turn, unless the server's host has set another."""

_COUNTED = 0.1
"""Tolerance for a system's processor time counters, which may contradict each other."""


def parse_member(document: bytes) -> MatchRecord:
    """Read the record of a replay that is exactly as servers write it.

    Raises:
        TournamentError: it is not a replay, or contains more than its record.
    """
    record = parse_replay(document, "the document")
    said = msgspec.msgpack.decode(document) if document[:1] > b"\x7f" else None
    if not isinstance(said, dict) or msgspec.msgpack.encode(said) != document:
        raise TournamentError("it is not in the form in which servers write replays")
    known = msgspec.msgpack.decode(encode_replay(record))
    if unknown := unknown_field(said, known, "the replay"):
        raise TournamentError(f"{unknown} is a field that replays do not have")
    return record


def set_up_differences(
    configuration: TournamentConfiguration, drawn: DrawnMatch, match: str, record: MatchRecord
) -> Iterator[str]:
    """Report, as sentences, where a replay's set-up differs from schedule and description."""
    setup = record.setup
    for name, theirs, ours in (
        ("id", setup.match, match),
        ("game", setup.game, configuration.game),
        ("players", setup.players, drawn.players),
        ("clock", setup.clock, configuration.clock),
        ("seed", str(setup.seed), drawn.seed),
        ("options", setup.options, configuration.options),
        ("rated", setup.rated, counts_for_ratings(configuration, setup)),
        ("untimed", setup.untimed, ()),
    ):
        if theirs != ours:
            yield f"the set-up: {name} {theirs!r}, where the schedule has {ours!r}"
    seats = len(drawn.players)
    for name, count in (
        ("ratings", len(setup.ratings)),
        ("sandboxes", len(setup.sandboxes) or seats),
        ("software", len(record.software)),
    ):
        if count != seats:
            yield f"the set-up: {name} of {count} bots, where {seats} play"
    versions = tuple(version_of(software) for software in record.software)
    if drawn.match == match and drawn.online and versions != tuple(s.version for s in drawn.online):
        yield "its bots declared other versions than the rated ones"
    machine = record.machine
    if machine is not None and not (
        _is_share(machine.busy)
        and _is_share(machine.stolen)
        and machine.runnable >= 0
        and machine.cores > 0
    ):
        yield f"a machine cannot be so busy: {machine}"
    if record.ranking is not None and record.detail is not None:
        yield f"it has a result, but was broken off: {record.detail}"


def _is_share(figure: float) -> bool:
    """Whether a value is from 0 to 1, within the precision of systems' counters."""
    return -_COUNTED < figure < 1 + _COUNTED


def uncharged_ms(record: MatchRecord) -> int:
    """The largest uncharged time of a turn, in whole ms."""
    return max((_uncharged_ms(event) for event in record.events), default=0)


def _uncharged_ms(event: TurnRecord | ForfeitRecord) -> int:
    if event.last_byte_us is None or event.flushed_us is None or event.charged_ms is None:
        return 0
    return (event.last_byte_us - event.flushed_us) // 1000 - event.charged_ms


def unknown_refusals(record: MatchRecord) -> Iterator[str]:
    """Report, as sentences, illegal turns whose steps the record does not have in full."""
    for forfeit in record.forfeits:
        if forfeit.reason != "illegal_move":
            continue
        if forfeit.refused_steps is None or forfeit.refused_left_out:
            yield f"whether the turn {forfeit.turn} was illegal, of which not all is recorded"
