"""Triggers by which PostgreSQL tells servers at once of changes to bots and ratings."""

from __future__ import annotations

from alembic import op

_TOLD = {
    "bots": "INSERT OR DELETE OR UPDATE OF token_hash, revoked_ms, suspended_ms, resumed_ms",
    "interventions": "INSERT",
}


def announce() -> None:
    """Tell those who listen to ``polynya_changes``, once for each transaction."""
    if op.get_bind().dialect.name != "postgresql":
        return  # there servers look every two seconds
    op.execute(
        "CREATE FUNCTION polynya_changed() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_notify('polynya_changes', ''); RETURN NULL; END $$"
    )
    for table, events in _TOLD.items():
        op.execute(
            f"CREATE TRIGGER {table}_changed AFTER {events} ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION polynya_changed()"
        )


def announce_no_more() -> None:
    """Take the triggers away."""
    if op.get_bind().dialect.name == "postgresql":
        for table in _TOLD:
            op.execute(f"DROP TRIGGER {table}_changed ON {table}")
        op.execute("DROP FUNCTION polynya_changed()")
