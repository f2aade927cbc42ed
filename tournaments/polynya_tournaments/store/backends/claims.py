"""What a server can play alone in a database into which several play, in words for sentences."""

from __future__ import annotations

from polynya_tournaments.ratings.pool import Pool

EVERYTHING = ("everything",)
"""The claim of a process that shares a database with no other one that plays."""


def tournament_claim(name: str) -> str:
    """A tournament: its matches are drawn and played by one server."""
    return f"the tournament {name}"


def ladder_claim(pool: Pool) -> str:
    """A ladder: the bots of a rating pool are paired by one server."""
    options = f", {pool.variant}" if pool.variant else ""
    return (
        f"the ladder of {pool.game} for {pool.players} players "
        f"({pool.clock_class}{options}, rated by {pool.system})"
    )
