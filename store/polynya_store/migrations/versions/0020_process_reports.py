"""Reports of the host's processes: what they used in a match, and how they ended in it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("seats") as table:
        table.add_column(sa.Column("process", sa.Text(), nullable=True))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("seats") as table:
        table.drop_column("process")
