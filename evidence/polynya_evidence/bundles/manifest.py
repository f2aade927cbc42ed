"""The manifest of a bundle: its members, its results and the software of each bot; it is signed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from polynya_evidence.reports.evidence import Evidence
from polynya_protocol.messages import Software
from polynya_server.records import MatchRecord

FORM = "polynya bundle 1"


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match that counts: its id, and by seat the bots, their ranks and scores."""

    match: str
    players: tuple[str, ...]
    ranking: tuple[int, ...]
    scores: tuple[int, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the signature stands for.

    Attributes:
        form: of bundles like this one.
        tournament: its name.
        public_key: the signer's, in base64.
        files: SHA-256 in hexadecimal of every other file of the bundle, by name.
        results: of all matches that count, in the order of the schedule.
        software: what each bot said it runs, all that it said, in the order of the matches.
        servers: the versions of the server that refereed.
    """

    form: str
    tournament: str
    public_key: str
    files: dict[str, str]
    results: tuple[Result, ...]
    software: dict[str, tuple[Software, ...]]
    servers: tuple[str, ...]


class Played:
    """The software of the bots and servers, gathered record by record."""

    def __init__(self) -> None:
        self._software: dict[str, dict[Software, None]] = {}
        self._servers: dict[str, None] = {}

    def add(self, record: MatchRecord) -> None:
        """One more match."""
        self._servers[record.server] = None
        for bot, software in zip(record.setup.players, record.software, strict=False):
            known = self._software.setdefault(bot, {})
            if software is not None:
                known[software] = None

    @property
    def software(self) -> dict[str, tuple[Software, ...]]:
        """By bot."""
        return {bot: tuple(known) for bot, known in self._software.items()}

    @property
    def servers(self) -> tuple[str, ...]:
        """The versions of the server."""
        return tuple(self._servers)


def results_of(evidence: Evidence) -> tuple[Result, ...]:
    """Of all matches that count."""
    return tuple(
        Result(drawn.match, outcome.players, outcome.ranking, outcome.scores)
        for drawn in evidence.schedule.matches
        if drawn.match is not None and (outcome := evidence.outcomes.get(drawn.match)) is not None
    )


def canonical(value: object) -> bytes:
    """JSON in UTF-8 with sorted keys and without white space: the same value, the same bytes."""
    return msgspec.json.encode(value, order="sorted")


def digests(files: Iterable[tuple[str, bytes]]) -> Mapping[str, str]:
    """SHA-256 in hexadecimal by name."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in files}
