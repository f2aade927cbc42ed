"""Goofspiel, the game of bids for prizes, for 2 to 4 players (rules.md)."""

from __future__ import annotations

from polynya_example_games.goofspiel.game import GOOFSPIEL, Goofspiel
from polynya_example_games.goofspiel.state import GoofspielState

__all__ = ["GOOFSPIEL", "Goofspiel", "GoofspielState"]
