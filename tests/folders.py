"""Folders of the checkout and its packages, for tests that read what lies there."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
VECTORS_OF_GAMES = ROOT / "games" / "vectors"
VECTORS_OF_PROTOCOL = ROOT / "protocol" / "vectors"

ROOMS = (
    "common",
    "protocol",
    "games",
    "server",
    "contest",
    "store",
    "hosting",
    "foreign",
    "conformance",
    "tournaments",
    "evidence",
    "web",
    "app",
)
"""The top-level folders of the server's packages, in an order in which arrows go back only."""

PACKAGES = {f"polynya_{room}": ROOT / room / f"polynya_{room}" for room in ROOMS}
"""The folder of each package of the server."""
