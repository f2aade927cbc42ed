"""Arktia: build with muglus on the ice, cut the others off, melt what is left."""

from polynya_games.arktia.game import ARKTIA
from polynya_games.arktia.state import ArktiaState

__all__ = ["ARKTIA", "ArktiaState"]
