"""Uploads: their manifests, so that they are read once, and what was begun with them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("uploads") as table:
        table.add_column(sa.Column("manifest", sa.Text(), nullable=True))
        table.add_column(sa.Column("strikes", sa.Integer(), nullable=False, server_default="0"))
    # Their manifests are read when they are built again.
    op.execute("UPDATE uploads SET again = 'received' WHERE state = 'accepted' AND again IS NULL")


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("uploads") as table:
        table.drop_column("strikes")
        table.drop_column("manifest")
