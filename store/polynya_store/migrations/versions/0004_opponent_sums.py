"""Bounds the effect of one opponent on a rating: sums by pair, and the method of each match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004_opponent_sums"
down_revision = "0003_secrets"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the table; matches that are there stay rated as they were."""
    op.add_column(
        "matches", sa.Column("rating_method", sa.Integer, nullable=False, server_default="1")
    )
    op.create_table(
        "opponent_sums",
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("players", sa.Integer, primary_key=True),
        sa.Column("system", sa.String(16), primary_key=True),
        sa.Column("clock_class", sa.String(16), primary_key=True),
        sa.Column("variant", sa.Text, primary_key=True),
        sa.Column("bot_id", sa.Integer, sa.ForeignKey("bots.id"), primary_key=True),
        sa.Column("opponent_id", sa.Integer, sa.ForeignKey("bots.id"), primary_key=True),
        sa.Column("total", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
    )
