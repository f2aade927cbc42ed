"""The bots that missed a match, when a bot withdrew, and late entrants."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_OF_ENTRANTS = ("withdrawn_after", "entered", "entered_after", "missed")


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("pairings") as table:
        table.add_column(sa.Column("missing", sa.JSON(none_as_null=True), nullable=True))
    with op.batch_alter_table("entrants") as table:
        table.add_column(sa.Column("withdrawn_after", sa.Integer(), nullable=True))
        table.add_column(sa.Column("entered", sa.Integer(), nullable=False, server_default="1"))
        table.add_column(
            sa.Column("entered_after", sa.Integer(), nullable=False, server_default="0")
        )
        table.add_column(sa.Column("missed", sa.Float(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Bring it back to the version before."""
    with op.batch_alter_table("pairings") as table:
        table.drop_column("missing")
    with op.batch_alter_table("entrants") as table:
        for column in _OF_ENTRANTS:
            table.drop_column(column)
