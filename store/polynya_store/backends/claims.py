"""Claims, in words for sentences: each is played by one server of several in a database."""

from __future__ import annotations

from polynya_contest.ratings.pool import Pool

EVERYTHING = ("everything",)
"""The claim of a process that plays alone in its database."""


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
