"""Keeps the whole of matches with hidden parts back until a round or a tournament is over."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005_reveal"
down_revision = "0004_opponent_sums"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; what was shown stays shown."""
    op.add_column(
        "tournaments", sa.Column("reveal", sa.String(16), nullable=False, server_default="match")
    )
