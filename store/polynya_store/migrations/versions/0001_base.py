"""The tables of 0.3.0. New databases get today's tables from ``schema.py`` instead."""

from __future__ import annotations

revision = "0001_base"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing: each database with this revision was made with its tables."""
