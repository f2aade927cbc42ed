"""An index of blocks: whether one has been drawn is found without reading all of them."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_INDEX = "ix_pairings_tournament_id_block"


def upgrade() -> None:
    """Bring the schema to this version."""
    op.create_index(_INDEX, "pairings", ["tournament_id", "block"])


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_index(_INDEX, "pairings")
