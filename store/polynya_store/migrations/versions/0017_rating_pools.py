"""Rating pools by clock class and options, and how ratings grow old.

The ratings that are there are kept: those of a game, a number of players and a system become the
pool of its last rated match on the ladder, or else of its last rated match, which go on with them.
"""

from __future__ import annotations

import json

import msgspec
import sqlalchemy as sa
from alembic import op

from polynya_contest.ratings.pool import clock_class, variant
from polynya_protocol.messages import Clock
from polynya_store.migrations.set_aside import set_aside

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TABLES = ("matches", "rating_changes", "ratings", "version_ratings")
_KEYS = {
    "ratings": ["game", "players", "system", "clock_class", "variant", "bot_id"],
    "version_ratings": ["game", "players", "system", "clock_class", "variant", "bot_id", "version"],
}
_LAST = """
    SELECT options, clock FROM matches
    WHERE game = :game AND players = :players AND rating_system = :system AND rated
    ORDER BY (pairing_id IS NULL AND name LIKE 'ladder-%') DESC, id DESC LIMIT 1
"""
_LAST_MS = """
    UPDATE ratings SET last_ms = (
        SELECT max(matches.finished_ms) FROM rating_changes
        JOIN matches ON matches.id = rating_changes.match_id
        WHERE rating_changes.bot_id = ratings.bot_id AND rating_changes.game = ratings.game
        AND rating_changes.players = ratings.players AND rating_changes.system = ratings.system
    )
"""


def upgrade() -> None:
    """Bring the schema to this version."""
    op.add_column(
        "matches", sa.Column("inactivity_days", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column("ratings", sa.Column("last_ms", sa.BigInteger(), nullable=True))
    for table in _TABLES:
        op.add_column(
            table,
            sa.Column("clock_class", sa.String(16), nullable=False, server_default="unknown"),
        )
        op.add_column(table, sa.Column("variant", sa.Text(), nullable=False, server_default=""))
    for table, keys in _KEYS.items():
        _replace(table, keys)
    op.execute(_LAST_MS)
    _keep_ratings(op.get_bind())


def _replace(name: str, keys: list[str], without: tuple[str, ...] = ()) -> None:
    """The same table with another primary key, or without some columns, and its rows."""
    before = sa.Table(name, sa.MetaData(), autoload_with=op.get_bind())
    indexes = [
        (str(index.name), [column.name for column in index.columns]) for index in before.indexes
    ]
    for index, _ in indexes:
        op.drop_index(index, name)
    set_aside(name)
    kept = [column for column in before.columns if column.name not in without]
    op.create_table(
        name,
        *(
            sa.Column(
                column.name,
                column.type,
                nullable=column.nullable,
                server_default=column.server_default,
            )
            for column in kept
        ),
        *(
            sa.ForeignKeyConstraint(
                [column.name for column in key.columns],
                [element.target_fullname for element in key.elements],
                name=key.name,
            )
            for key in before.foreign_key_constraints
        ),
        sa.PrimaryKeyConstraint(*keys, name=f"pk_{name}"),
    )
    names = ", ".join(column.name for column in kept)
    op.execute(f"INSERT INTO {name} ({names}) SELECT {names} FROM {name}_before")  # noqa: S608 -- names of ours
    op.drop_table(f"{name}_before")
    for index, columns in indexes:
        op.create_index(index, name, columns)


def _keep_ratings(connection: sa.Connection) -> None:
    kinds = connection.execute(
        sa.text("SELECT DISTINCT game, players, rating_system AS system FROM matches WHERE rated")
    )
    for kind in kinds.mappings().all():
        last = connection.execute(sa.text(_LAST), dict(kind)).one()
        clock = msgspec.convert(json.loads(last.clock), Clock)
        values = {
            **kind,
            "clock_class": clock_class(clock),
            "variant": variant(kind["game"], json.loads(last.options)),
        }
        for table in _TABLES:
            system = "rating_system" if table == "matches" else "system"
            connection.execute(
                sa.text(
                    f"UPDATE {table} SET clock_class = :clock_class, "  # noqa: S608 -- ours
                    "variant = :variant "
                    f"WHERE game = :game AND players = :players AND {system} = :system"
                ),
                values,
            )


def downgrade() -> None:
    """Bring it back to the version before; of several pools of a game, the largest one stays."""
    for table in ("ratings", "version_ratings"):
        keys = [key for key in _KEYS[table] if key not in ("clock_class", "variant")]
        same = " AND ".join(f"other.{key} = {table}.{key}" for key in keys)
        op.execute(
            f"DELETE FROM {table} WHERE EXISTS "  # noqa: S608 -- names of ours
            f"(SELECT 1 FROM {table} AS other WHERE {same} "
            f"AND (other.games, other.clock_class, other.variant) "
            f"> ({table}.games, {table}.clock_class, {table}.variant))"
        )
        _replace(table, keys, ("variant", "clock_class", "last_ms"))
    for table, columns in (
        ("rating_changes", ("variant", "clock_class")),
        ("matches", ("variant", "clock_class", "inactivity_days")),
    ):
        with op.batch_alter_table(table) as batch:
            for column in columns:
                batch.drop_column(column)
