"""When the submissions of tournaments close."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("tournaments") as table:
        table.add_column(sa.Column("closes_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("tournaments") as table:
        table.drop_column("closes_ms")
