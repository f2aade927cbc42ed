"""Bots as the database has them."""

from __future__ import annotations

from typing import Any

from polynya_store.rows import BotRow


def bot_row(row: Any) -> BotRow:
    """A bot from its row of the table."""
    return BotRow(
        row.name,
        row.created_ms,
        row.token_hash is not None,
        row.revoked_ms is not None,
        row.suspension,
        row.guest,
    )
