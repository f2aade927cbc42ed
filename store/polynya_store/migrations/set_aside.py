"""A table that another one of its name is to replace."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op


def set_aside(name: str) -> None:
    """Name it ``NAME_before``, its keys too where their names are those of the whole database."""
    op.rename_table(name, f"{name}_before")
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    keys = connection.scalars(
        sa.text(
            "SELECT conname FROM pg_constraint "
            "WHERE conrelid = to_regclass(:name) AND contype IN ('p', 'u')"
        ),
        {"name": f"{name}_before"},
    ).all()
    for key in keys:
        op.execute(f"ALTER TABLE {name}_before RENAME CONSTRAINT {key} TO {key}_before")
