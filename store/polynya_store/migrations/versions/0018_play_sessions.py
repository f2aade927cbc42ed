"""Servers that play into one database, and which of them began a match."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    op.create_table(
        "play_sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("claims", sa.JSON(), nullable=False),
        sa.Column("began_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_play_sessions"),
    )
    with op.batch_alter_table("matches") as table:
        table.add_column(sa.Column("session_id", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("matches") as table:
        table.drop_column("session_id")
    op.drop_table("play_sessions")
