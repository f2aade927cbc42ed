"""The software of bots when submissions closed, and until when results are hidden."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("tournaments") as table:
        table.add_column(sa.Column("results_from_ms", sa.BigInteger(), nullable=True))
    op.create_table(
        "submissions",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("submitted", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_submissions_tournament_id")
        ),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_submissions_bot_id")),
        sa.PrimaryKeyConstraint("tournament_id", "bot_id", name=op.f("pk_submissions")),
    )


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_table("submissions")
    with op.batch_alter_table("tournaments") as table:
        table.drop_column("results_from_ms")
