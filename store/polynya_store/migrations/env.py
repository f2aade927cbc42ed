"""Alembic's entry point: runs the migrations on the connection of ``schema_upgrade.py``."""

from __future__ import annotations

from alembic import context

from polynya_store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
