"""When the tables of tournaments freeze."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("tournaments") as table:
        table.add_column(sa.Column("freezes_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("tournaments") as table:
        table.drop_column("freezes_ms")
