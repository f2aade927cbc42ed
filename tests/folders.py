"""Folders of the checkout, for tests that read what lies there."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
VECTORS_OF_GAMES = ROOT / "games" / "vectors"
VECTORS_OF_PROTOCOL = ROOT / "protocol" / "vectors"
