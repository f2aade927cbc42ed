"""Triggers by which PostgreSQL tells servers at once of what has changed of a bot."""

from __future__ import annotations

from alembic import op

_COLUMNS = "token_hash, revoked_ms, suspended_ms, resumed_ms"


def announce() -> None:
    """Tell those who listen to ``polynya_bots``, once for each transaction."""
    if op.get_bind().dialect.name != "postgresql":
        return  # there servers look every two seconds
    op.execute(
        "CREATE FUNCTION polynya_bots_changed() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_notify('polynya_bots', ''); RETURN NULL; END $$"
    )
    op.execute(
        f"CREATE TRIGGER bots_changed AFTER INSERT OR DELETE OR UPDATE OF {_COLUMNS} ON bots "
        "FOR EACH ROW EXECUTE FUNCTION polynya_bots_changed()"
    )


def announce_no_more() -> None:
    """Take the triggers away."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER bots_changed ON bots")
        op.execute("DROP FUNCTION polynya_bots_changed()")
