"""Writes what all artefacts of a release share into their manifests: ``python building/stamp.py``.

``pyproject.toml`` says the version and the address of the repository; every other file follows.
Each SDK gets a copy of the licence and of the changelog, and those that are published with their
tests get the vectors that these read. With ``--check`` nothing is written: the files that would
change are named, and the exit code is 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SDKS = ("c", "cpp", "go", "java", "python", "rust", "typescript")
WITH_VECTORS = ("clients/go/testdata", "clients/rust/tests/shared")
VERSION = r"\d+\.\d+\.\d+[\w.-]*"

VERSIONS = {
    "clients/c/CMakeLists.txt": r"project\(polynya_c VERSION ",
    "clients/cpp/CMakeLists.txt": r"project\(polynya_client VERSION ",
    "clients/cpp/README.md": r"GIT_TAG v",
    "clients/go/README.md": r"/clients/go@v",
    "clients/java/README.md": r"<artifactId>polynya-client</artifactId>\s*<version>",
    "clients/java/client/pom.xml": r"<artifactId>polynya-parent</artifactId>\s*<version>",
    "clients/java/examples/pom.xml": r"<artifactId>polynya-parent</artifactId>\s*<version>",
    "clients/java/pom.xml": r"<artifactId>polynya-parent</artifactId>\s*<version>",
    "clients/python/pyproject.toml": r'^version = "',
    "clients/rust/Cargo.lock": r'name = "polynya-client"\nversion = "',
    "clients/rust/Cargo.toml": r'^version = "',
    "clients/typescript/package-lock.json": r'"name": "polynya-client",\s*"version": "',
    "clients/typescript/package.json": r'"version": "',
    "hosting/polynya_hosting/kits/starters/go/go.mod.in": r"/clients/go v",
}
"""Files, and what stands in each of them before the version."""

ADDRESS = r"(github(?:usercontent)?\.com/)[\w-]+/polynya(?![\w-])"
GROUP_ID = r"(io\.github\.)[\w-]+(?=[:<])"
"""In every text file: owner and name of the repository, and its owner in Java's group id."""


class StampError(Exception):
    """A manifest has no place for the value that is to be written."""


def stamped(root: Path) -> Iterator[tuple[Path, bytes]]:
    """The files that are to change, as paths below ``root``, with their new contents.

    Raises ``StampError`` if a version is not found where it should stand.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    repository = project["urls"]["Repository"].removeprefix("https://github.com/")
    wanted = _with_address(root, repository)
    for copy, source in _copies(root).items():
        wanted[copy] = wanted.get(source, source.read_bytes())
    for name, before in VERSIONS.items():
        text = wanted.get(root / name, (root / name).read_bytes()).decode()
        wanted[root / name] = _with_version(name, text, before, project["version"]).encode()
    for path, content in sorted(wanted.items()):
        if not path.is_file() or path.read_bytes() != content:
            yield path, content


def _with_version(name: str, text: str, before: str, version: str) -> str:
    changed, count = re.subn(f"({before}){VERSION}", rf"\g<1>{version}", text, flags=re.MULTILINE)
    if count == 0:
        raise StampError(f"{name} has no version after {before!r}: see VERSIONS in {__file__}.")
    return changed


def _with_address(root: Path, repository: str) -> dict[Path, bytes]:
    """The text files that name the repository otherwise."""
    changed = {}
    for path in _tracked(root):
        text = re.sub(ADDRESS, rf"\g<1>{repository}", _text(path))
        text = re.sub(GROUP_ID, rf"\g<1>{repository.partition('/')[0]}", text)
        if text != _text(path):
            changed[path] = text.encode()
    return changed


def _tracked(root: Path) -> list[Path]:
    """The files that git knows."""
    listing = ("git", "-C", str(root), "ls-files", "-z")
    names = subprocess.check_output(listing).decode().split("\0")  # noqa: S603 - git
    return [path for name in names if name and (path := root / name).is_file()]


def _text(path: Path) -> str:
    """The text of a file; empty if it is none."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return ""


def _copies(root: Path) -> dict[Path, Path]:
    """The files that are copies, with the files that they are copies of."""
    copies = {
        root / "clients" / sdk / name: root / name
        for sdk in SDKS
        for name in ("LICENSE", "CHANGELOG.md")
    }
    for name in WITH_VECTORS:
        copies[root / name / "addresses.json"] = root / "clients/addresses.json"
        for path in root.glob("protocol/vectors/*.json"):
            copies[root / name / "vectors" / path.name] = path
    return copies


def main() -> int:
    """Write, or with ``--check`` name, what is to change."""
    only_check = "--check" in sys.argv[1:]
    try:
        changes = list(stamped(ROOT))
    except StampError as error:
        print(error, file=sys.stderr)
        return 1
    for path, content in changes:
        print(f"{'would change' if only_check else 'written'}: {path.relative_to(ROOT)}")
        if not only_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return 1 if only_check and changes else 0


if __name__ == "__main__":
    sys.exit(main())
