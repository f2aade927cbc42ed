"""The example games are installed for the tests of all languages."""

from __future__ import annotations

from tests.games.example_games import example_games

__all__ = ["example_games"]
