"""Bots whose token was revoked, and bots that get no matches on the ladder."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("bots") as table:
        table.add_column(sa.Column("revoked_ms", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("suspended_ms", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("suspension", sa.Text(), nullable=True))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("bots") as table:
        table.drop_column("suspension")
        table.drop_column("suspended_ms")
        table.drop_column("revoked_ms")
