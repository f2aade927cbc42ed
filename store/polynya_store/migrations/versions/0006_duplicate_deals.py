"""Marks the tournaments in which all matches of a block have one deal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006_duplicate_deals"
down_revision = "0005_reveal"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no tournament had duplicate deals."""
    op.add_column(
        "tournaments", sa.Column("duplicate", sa.Boolean, nullable=False, server_default=sa.false())
    )
