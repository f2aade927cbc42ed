"""Writes a bundle from the database: replays, schedule, report, and their signed manifest."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from polynya_common.errors import TournamentError
from polynya_conformance.replay.verify import parse_replay
from polynya_evidence.bundles.archive import write_archive
from polynya_evidence.bundles.manifest import (
    FORM,
    Manifest,
    Played,
    canonical,
    digests,
    results_of,
)
from polynya_evidence.bundles.signing import public_text
from polynya_evidence.reports.contents import Report
from polynya_evidence.reports.evidence import Evidence
from polynya_store import Store

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def write_bundle(store: Store, evidence: Evidence, report: Report, key: Ed25519PrivateKey) -> bytes:
    """Write the bundle; the same tournament and key give the same bytes.

    Raises:
        TournamentError: the tournament is not over: its description reveals all future set-ups.
    """
    standings = report.standings
    if not standings.complete:
        left = standings.scheduled - standings.played
        raise TournamentError(
            f"{standings.tournament} is not over ({left} matches of the present round have no "
            "result): a bundle holds its secret, from which the set-ups to come follow; finish it "
            "first, or withdraw the bots that do not play"
        )
    if any(one.secret is None for one in evidence.schedule.secrets):
        raise TournamentError(
            f"a match of {standings.tournament} is in play: a bundle holds the tournament's "
            "secret, which comes out when it has ended"
        )
    played = Played()
    files = [
        *_replays(store, standings.tournament, played),
        ("report.json", canonical(dataclasses.asdict(report))),
        ("tournament.json", canonical(evidence.schedule)),
    ]
    manifest = canonical(
        Manifest(
            form=FORM,
            tournament=standings.tournament,
            public_key=public_text(key),
            files=dict(digests(files)),
            results=results_of(evidence),
            software=played.software,
            servers=played.servers,
        )
    )
    signed = [("manifest.json", manifest), ("manifest.sig", key.sign(manifest))]
    return write_archive([*signed, *files])


def _replays(store: Store, tournament: str, played: Played) -> Iterator[tuple[str, bytes]]:
    """The replays of all attempts that have one, in the order in which they began."""
    for match, document in store.matches.replays(tournament):
        played.add(parse_replay(document, match))
        yield f"replays/{match}.replay", document
