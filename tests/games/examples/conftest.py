"""The example games are installed for all tests of this folder."""

from __future__ import annotations

from tests.games.example_games import example_games

__all__ = ["example_games"]
