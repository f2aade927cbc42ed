"""Summaries of a ladder's matches: conduct of bots and their pasts, from the matches so far."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from polynya_store.matches import ladder_summaries

revision = "0002_ladder_summaries"
down_revision = "0001_base"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables' columns, and write the summaries."""
    op.add_column("bots", sa.Column("conduct", sa.Text))
    op.create_table(
        "pairing_pasts",
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("players", sa.Integer, primary_key=True),
        sa.Column("clock_class", sa.String(16), primary_key=True),
        sa.Column("variant", sa.Text, primary_key=True),
        sa.Column("bot_id", sa.Integer, sa.ForeignKey("bots.id"), primary_key=True),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("last_match_id", sa.Integer, sa.ForeignKey("matches.id"), nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
        sa.Column("met", sa.Text, nullable=False),
    )
    ladder_summaries.write_again(op.get_bind())
