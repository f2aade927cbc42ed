"""The signed manifest of a bundle: lists its files, its results and the software of each bot."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from polynya_evidence.reports.evidence import Evidence
from polynya_protocol.messages import Software
from polynya_server.records import MatchRecord

FORM = "polynya bundle 1"


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a match that counts: its id, and by seat the bots, their ranks and scores."""

    match: str
    players: tuple[str, ...]
    ranking: tuple[int, ...]
    scores: tuple[int, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signed contents.

    Attributes:
        form: number of this bundle format.
        tournament: its name.
        public_key: the signer's, in base64.
        files: SHA-256 in hexadecimal of every other file of the bundle, by name.
        results: of all matches that count, in the order of the schedule.
        software: by bot all software that it declared, in the order of the matches.
        servers: the versions of the refereeing servers.
    """

    form: str
    tournament: str
    public_key: str
    files: dict[str, str]
    results: tuple[Result, ...]
    software: dict[str, tuple[Software, ...]]
    servers: tuple[str, ...]


class Played:
    """Collects the software of the bots and servers, record by record."""

    def __init__(self) -> None:
        self._software: dict[str, dict[Software, None]] = {}
        self._servers: dict[str, None] = {}

    def add(self, record: MatchRecord) -> None:
        """Add a match."""
        self._servers[record.server] = None
        for bot, software in zip(record.setup.players, record.software, strict=False):
            known = self._software.setdefault(bot, {})
            if software is not None:
                known[software] = None

    @property
    def software(self) -> dict[str, tuple[Software, ...]]:
        """The software that each bot declared."""
        return {bot: tuple(known) for bot, known in self._software.items()}

    @property
    def servers(self) -> tuple[str, ...]:
        """The versions of the server."""
        return tuple(self._servers)


def results_of(evidence: Evidence) -> tuple[Result, ...]:
    """The results of all matches that count."""
    return tuple(
        Result(drawn.match, outcome.players, outcome.ranking, outcome.scores)
        for drawn in evidence.schedule.matches
        if drawn.match is not None and (outcome := evidence.outcomes.get(drawn.match)) is not None
    )


def canonical(value: object) -> bytes:
    """Encode as JSON in UTF-8 with sorted keys and no white space: equal values, equal bytes."""
    return msgspec.json.encode(value, order="sorted")


def digests(files: Iterable[tuple[str, bytes]]) -> Mapping[str, str]:
    """SHA-256 in hexadecimal by name."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in files}
