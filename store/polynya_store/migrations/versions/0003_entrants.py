"""The entrants of a tournament, in the order of the seeding."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    table = op.create_table(
        "entrants",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("withdrawn", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_entrants_bot_id")),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_entrants_tournament_id")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "bot_id", name=op.f("pk_entrants")),
    )
    rows = op.get_bind().execute(sa.text("SELECT id, configuration FROM tournaments")).all()
    for tournament_id, configuration in rows:
        _enter(table, tournament_id, json.loads(configuration))


def _enter(table: sa.Table, tournament_id: int, description: dict[str, object]) -> None:
    """The bots of a tournament of before: all were round robins, in the description's order."""
    connection = op.get_bind()
    names = description.get("bots")
    for number, name in enumerate(names if isinstance(names, list) else [], start=1):
        bot_id = connection.execute(
            sa.text("SELECT id FROM bots WHERE name = :name"), {"name": name}
        ).scalar_one()
        connection.execute(
            table.insert().values(
                tournament_id=tournament_id,
                bot_id=bot_id,
                number=number,
                rating=description["start_rating"],
            )
        )


def downgrade() -> None:
    """Bring it back to the version before."""
    op.drop_table("entrants")
