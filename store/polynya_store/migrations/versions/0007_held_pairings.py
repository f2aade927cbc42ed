"""Holds the pairings that were given up because the rules of their game failed.

A program that does not know this state would take such a tournament for complete, so it must refuse
the database.
"""

from __future__ import annotations

from alembic import op

revision = "0007_held_pairings"
down_revision = "0006_duplicate_deals"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Hold them from now on."""
    op.execute(
        "UPDATE pairings SET state = 'held' "
        "WHERE state = 'abandoned' AND detail LIKE '{\"code\":\"rules_failed\"%'"
    )
