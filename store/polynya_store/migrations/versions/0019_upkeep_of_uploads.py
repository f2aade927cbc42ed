"""Uploads: sizes, networks, replays of validation, and which tournaments play them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

COLUMNS = (
    ("again", sa.String(12)),
    ("changed_ms", sa.BigInteger()),
    ("archive_bytes", sa.BigInteger()),
    ("program_bytes", sa.BigInteger()),
    ("network", sa.String(64)),
    ("replay", sa.LargeBinary()),
)


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("uploads") as table:
        for name, kind in COLUMNS:
            table.add_column(sa.Column(name, kind, nullable=True))
    op.create_table(
        "tournament_uploads",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("upload_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_tournament_uploads_tournament_id"
        ),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["uploads.id"], name="fk_tournament_uploads_upload_id"
        ),
        sa.PrimaryKeyConstraint("tournament_id", "upload_id", name="pk_tournament_uploads"),
    )


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_table("tournament_uploads")
    with op.batch_alter_table("uploads") as table:
        for name, _ in COLUMNS:
            table.drop_column(name)
