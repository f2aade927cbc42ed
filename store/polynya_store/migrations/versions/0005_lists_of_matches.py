"""Indices for the lists of matches of a game, and for the forfeits of a bot."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    op.create_index(op.f("ix_matches_game_id"), "matches", ["game", "id"])
    op.create_index(
        "ix_seats_forfeits",
        "seats",
        ["bot_id", "forfeit", "match_id"],
        sqlite_where=sa.text("forfeit IS NOT NULL"),
        postgresql_where=sa.text("forfeit IS NOT NULL"),
    )


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_index("ix_seats_forfeits", "seats")
    op.drop_index(op.f("ix_matches_game_id"), "matches")
