"""Opens an untrusted bundle: checks its signature and hashes, and decodes its contents."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_contest.pairing.formats.interface import RULES, RULES_WITH_SEED
from polynya_evidence.analysis.estimates import METHOD
from polynya_evidence.bundles.archive import REPLAY, Archive
from polynya_evidence.bundles.known_fields import unknown_field
from polynya_evidence.bundles.manifest import FORM, Manifest, canonical, digests
from polynya_evidence.bundles.signing import is_signed
from polynya_evidence.reports.evidence import Schedule

MOST_FILE_BYTES = 2**30

LINK = b'href="data:application/zip;base64,'
"""The text before the embedded bundle in a page."""

Document = TypeVar("Document")


class _OtherVersionError(TournamentError):
    """The bundle is of a version with other rules of pairing or of estimates."""


class Bundle:
    """An opened bundle.

    Args:
        content: the ZIP file.
        page: the report's page that contained it; None without one.

    Attributes:
        content, page: the same.
        is_signed: whether the signature is valid for this manifest and the key in it.
        manifest: the signed manifest.
        schedule: the schedule that was drawn.
        report: the report's JSON.
        differences: sentences on differences from the manifest.

    Raises:
        TournamentError: it is not a bundle, or too damaged to check.
    """

    def __init__(self, content: bytes, page: bytes | None = None) -> None:
        self.content, self.page = content, page
        self._archive = Archive(content)
        signed = self._archive.read("manifest.json")
        self.manifest = _decoded(signed, Manifest, "manifest.json")
        if self.manifest.form != FORM:
            raise TournamentError(f"its form is {self.manifest.form[:40]!r}, this is for {FORM!r}")
        signature = self._archive.read("manifest.sig")
        self.is_signed = is_signed(signed, signature, self.manifest.public_key)
        self.differences = list(self._check())
        self.schedule = _decoded(self._archive.read("tournament.json"), Schedule, "tournament.json")
        self.report = _decoded(self._archive.read("report.json"), dict[str, Any], "report.json")
        for name, read in (("manifest.json", self.manifest), ("tournament.json", self.schedule)):
            if unknown := self._unknown_field(name, read):
                self.differences.append(f"{unknown} is a field that there is not")
        rules = self.schedule.description.get("rules", 1)
        if rules != RULES_WITH_SEED:
            _check_number("rules", rules, RULES)
        analysis = self.report.get("analysis")
        if isinstance(analysis, dict):
            _check_number("method", analysis.get("method", 1), METHOD)

    def replays(self) -> Iterator[tuple[str, bytes]]:
        """The ids of the matches with their replays, in the order in which they began."""
        for name in self._archive.names:
            if found := REPLAY.fullmatch(name):
                yield found[1], self._archive.read(name)

    def _check(self) -> Iterator[str]:
        if not self.is_signed:
            yield "the signature is not one of this manifest by the key in it"
        else:
            yield from self._form_differences("manifest.json")
        listed = self.manifest.files
        there = set(self._archive.names) - {"manifest.json", "manifest.sig"}
        for name in sorted(there ^ listed.keys()):
            yield f"{name[:100]!r} is " + ("missing" if name in listed else "not in the manifest")
        for name in sorted(there & listed.keys()):
            if digests([(name, self._archive.read(name))])[name] != listed[name]:
                yield f"{name} is not the file that was signed: its SHA-256 is another"
            elif name.endswith(".json"):
                yield from self._form_differences(name)

    def _unknown_field(self, name: str, read: msgspec.Struct) -> str:
        said = _decoded(self._archive.read(name), object, name)
        return unknown_field(said, msgspec.json.decode(canonical(read)), name)

    def _form_differences(self, name: str) -> Iterator[str]:
        """Report in a sentence an ambiguous document, such as a document with a duplicate key."""
        content = self._archive.read(name)
        if canonical(_decoded(content, object, name)) != content:
            yield f"{name} is not in the one form: keys in order, each once, without white space"


def _check_number(name: str, found: object, known: int) -> None:
    """Refuse a number of pairing rules, or of a method of estimates, other than the current."""
    if found == known:
        return
    if isinstance(found, int) and 0 < found < known:
        raise _OtherVersionError(
            "was written by Polynya 0.2.0 or older. This version verifies bundles of 0.3.0 and "
            "later. Use Polynya 0.2.0 for it."
        )
    raise _OtherVersionError(
        f"has the {name} {found!r:.40}, and this version knows {known}: use the release of Polynya "
        "that wrote it"
    )


def read_bundle(file: Path) -> Bundle:
    """Read the bundle in a file, which may be a report's page, too.

    Raises:
        ConfigurationError: the file cannot be read.
        TournamentError: it contains no bundle.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    if len(content) > MOST_FILE_BYTES:
        raise TournamentError(f"{file} is no bundle: it is longer than {MOST_FILE_BYTES} bytes")
    try:
        if content.startswith(b"PK"):
            return Bundle(content)
        return Bundle(_in_page(content), content)
    except _OtherVersionError as error:
        raise TournamentError(f"{file} {error}") from error
    except TournamentError as error:
        raise TournamentError(f"{file} is no bundle: {error}") from error


def _in_page(content: bytes) -> bytes:
    _, link, after = content.partition(LINK)
    if not link:
        raise TournamentError("it is neither a ZIP file nor a page with one in it")
    try:
        return base64.b64decode(after.partition(b'"')[0], validate=True)
    except binascii.Error as error:
        raise TournamentError(f"the ZIP file in the page is damaged: {error}") from error


def _decoded(content: bytes, kind: type[Document], name: str) -> Document:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise TournamentError(f"{name} is not what it should be: {error}") from error
