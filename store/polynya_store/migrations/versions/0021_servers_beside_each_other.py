"""Servers beside each other: numbers that the database counts, when each was last seen, news."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from polynya_store.migrations import announcements

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    op.create_table(
        "numbers",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_numbers"),
    )
    op.add_column("play_sessions", sa.Column("seen_ms", sa.BigInteger(), nullable=True))
    announcements.announce()


def downgrade() -> None:
    """Bring it back to the version before."""
    announcements.announce_no_more()
    with op.batch_alter_table("play_sessions") as table:
        table.drop_column("seen_ms")
    op.drop_table("numbers")
