"""Kuhn poker, a match of many hands for 2 players (rules.md)."""

from __future__ import annotations

from polynya_example_games.kuhn.game import KUHN, Kuhn
from polynya_example_games.kuhn.state import KuhnState

__all__ = ["KUHN", "Kuhn", "KuhnState"]
