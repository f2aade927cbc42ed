"""Secrets of contests instead of tournaments' seeds; the times of entries and withdrawals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003_secrets"
down_revision = "0002_ladder_summaries"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; a tournament's seed stands in its description, too."""
    op.create_table(
        "secrets",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournaments.id"), index=True),
        sa.Column("month", sa.String(7)),
        sa.Column("after", sa.Integer),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("commitment", sa.String(64), nullable=False),
        sa.Column("beacon", sa.Text),
        sa.Column("made_ms", sa.BigInteger, nullable=False),
        sa.Column("out_ms", sa.BigInteger),
    )
    op.add_column("entrants", sa.Column("entered_ms", sa.BigInteger))
    op.add_column("entrants", sa.Column("withdrawn_ms", sa.BigInteger))
    op.execute("ALTER TABLE tournaments DROP COLUMN seed")
