"""The sandboxes that the bots of a match ran in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("seats") as table:
        table.add_column(sa.Column("sandbox", sa.String(64), nullable=True))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("seats") as table:
        table.drop_column("sandbox")
