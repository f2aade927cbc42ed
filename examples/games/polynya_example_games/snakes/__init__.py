"""Snakes, the game in which all snakes move at once, for 2 to 8 players (rules.md)."""

from __future__ import annotations

from polynya_example_games.snakes.game import SNAKES, Snakes
from polynya_example_games.snakes.state import Snake, SnakesState

__all__ = ["SNAKES", "Snake", "Snakes", "SnakesState"]
