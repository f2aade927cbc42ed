"""Matches that were played elsewhere, and where they came from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    op.create_table(
        "imported_matches",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("intervention_id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_imported_matches_match_id"),
        sa.ForeignKeyConstraint(
            ["intervention_id"], ["interventions.id"], name="fk_imported_matches_intervention_id"
        ),
        sa.PrimaryKeyConstraint("match_id", name="pk_imported_matches"),
    )


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_table("imported_matches")
