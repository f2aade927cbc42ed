"""The bot at fault for the end of a match, one strength by name, and hosts' interventions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Early resignations cannot be told from others in what older versions recorded here.
_FAULTS = """
    UPDATE seats SET fault = true
    WHERE forfeit IN ('not_ready', 'disconnected', 'timeout', 'protocol_error', 'illegal_move')
    AND NOT (SELECT server_fault FROM matches WHERE matches.id = match_id)
"""


def upgrade() -> None:
    """Bring the schema to this version."""
    op.add_column(
        "seats", sa.Column("fault", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.execute(_FAULTS)
    op.add_column(
        "matches", sa.Column("by_name", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_table(
        "interventions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.String(64), nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=True),
        sa.Column("matches", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_interventions_bot_id"),
        sa.PrimaryKeyConstraint("id", name="pk_interventions"),
    )
    op.create_index("ix_interventions_bot_id", "interventions", ["bot_id"])
    op.create_table(
        "annulments",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("intervention_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_annulments_match_id"),
        sa.ForeignKeyConstraint(
            ["intervention_id"], ["interventions.id"], name="fk_annulments_intervention_id"
        ),
        sa.PrimaryKeyConstraint("match_id", name="pk_annulments"),
    )


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_table("annulments")
    op.drop_table("interventions")
    with op.batch_alter_table("matches") as table:
        table.drop_column("by_name")
    with op.batch_alter_table("seats") as table:
        table.drop_column("fault")
