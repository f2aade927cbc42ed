"""A published bundle, and what a host who holds the key can make of it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from polynya_evidence.bundles.archive import write_archive
from polynya_evidence.bundles.bundle_writer import write_bundle
from polynya_evidence.bundles.manifest import canonical, digests
from polynya_evidence.bundles.signing import public_text
from polynya_evidence.reports.contents import report_of
from polynya_evidence.reports.evidence import evidence_of
from polynya_store import Store

KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))


def bundle_of(database: Path) -> bytes:
    with Store.open(database) as store:
        evidence = evidence_of(store, name_of(store))
        return write_bundle(store, evidence, report_of(evidence), KEY)


def name_of(store: Store) -> str:
    [tournament] = store.tournaments.all()
    return tournament.name


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def signed_again(files: Mapping[str, bytes], key: Ed25519PrivateKey = KEY) -> bytes:
    """A bundle of these files whose hashes and signature hold, whatever the files say."""
    manifest = msgspec.json.decode(files["manifest.json"])
    others = {n: c for n, c in files.items() if n not in ("manifest.json", "manifest.sig")}
    again = {"files": digests(others.items()), "public_key": public_text(key)}
    signed = canonical({**manifest, **again})
    return write_archive(
        [("manifest.json", signed), ("manifest.sig", key.sign(signed)), *others.items()]
    )
