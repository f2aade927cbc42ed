"""A mark for names that are guests in matches of people, and no bots."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("bots") as table:
        # A text, not an expression: with that the table would be made anew, which others refer to.
        table.add_column(sa.Column("guest", sa.Boolean(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("bots") as table:
        table.drop_column("guest")
