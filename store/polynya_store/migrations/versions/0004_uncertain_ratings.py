"""Ratings with deviations, for each version of a bot, by one of two systems; why bots were paired.

What the recorded results give for the new columns is computed by ``opening.py`` afterwards.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from polynya_store.migrations.set_aside import set_aside

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema to this version."""
    with op.batch_alter_table("bots") as table:
        table.add_column(sa.Column("resumed_ms", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("matches") as table:
        table.add_column(_system("rating_system"))
        table.add_column(sa.Column("k_first", sa.Float(), nullable=False, server_default="0"))
        table.add_column(
            sa.Column("provisional_games", sa.Integer(), nullable=False, server_default="40")
        )
        table.add_column(sa.Column("why", sa.Text(), nullable=True))
    with op.batch_alter_table("seats") as table:
        table.add_column(sa.Column("anchor", sa.Float(), nullable=True))
    with op.batch_alter_table("rating_changes") as table:
        table.add_column(_system("system"))
        table.add_column(_version())
        table.add_column(_deviation())
        table.add_column(sa.Column("k_factor", sa.Float(), nullable=True))
    _replace_ratings(
        [_system("system")],
        [
            _deviation(),
            _version(),
            sa.Column("provisional", sa.Boolean(), nullable=False, server_default=sa.true()),
            sa.Column("anchor", sa.Boolean(), nullable=False, server_default=sa.false()),
        ],
    )
    op.create_table(
        "version_ratings",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("system", sa.String(length=16), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("provisional", sa.Boolean(), nullable=False),
        sa.Column("first_match_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_version_ratings_bot_id")),
        sa.ForeignKeyConstraint(
            ["first_match_id"], ["matches.id"], name=op.f("fk_version_ratings_first_match_id")
        ),
        sa.PrimaryKeyConstraint(
            "game", "players", "system", "bot_id", "version", name=op.f("pk_version_ratings")
        ),
    )


def _system(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=16), nullable=False, server_default="elo")


def _version() -> sa.Column[str]:
    return sa.Column("version", sa.Text(), nullable=False, server_default="")


def _deviation() -> sa.Column[float]:
    return sa.Column("deviation", sa.Float(), nullable=False, server_default="350")


def _replace_ratings(keys: list[sa.Column[str]], columns: list[sa.Column[Any]]) -> None:
    """The table of ratings with other columns, and the rows that it had."""
    op.drop_index("ix_ratings_game_players_rating", "ratings")
    set_aside("ratings")
    names = [key.name for key in keys]
    op.create_table(
        "ratings",
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        *keys,
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_ratings_bot_id")),
        sa.PrimaryKeyConstraint("game", "players", *names, "bot_id", name=op.f("pk_ratings")),
    )
    op.execute(
        "INSERT INTO ratings (game, players, bot_id, rating, games) "
        "SELECT game, players, bot_id, rating, games FROM ratings_before"
    )
    op.drop_table("ratings_before")
    op.create_index(
        op.f("ix_ratings_game_players_rating"), "ratings", ["game", "players", "rating"]
    )


def downgrade() -> None:
    """Bring it back to the version before; ratings of OpenSkill are lost."""
    op.drop_table("version_ratings")
    op.execute("DELETE FROM ratings WHERE system != 'elo'")
    _replace_ratings([], [])
    op.execute("DELETE FROM rating_changes WHERE system != 'elo'")
    for name, columns in (
        ("rating_changes", ("k_factor", "deviation", "version", "system")),
        ("seats", ("anchor",)),
        ("matches", ("why", "provisional_games", "k_first", "rating_system")),
        ("bots", ("resumed_ms",)),
    ):
        with op.batch_alter_table(name) as table:
            for column in columns:
                table.drop_column(column)
