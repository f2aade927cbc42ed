"""Packeis am Pol, also known as Hey, That's My Fish!: collect floes until no penguin can move."""

from polynya_games.packeis.game import PACKEIS, Packeis
from polynya_games.packeis.state import PackeisState

__all__ = ["PACKEIS", "Packeis", "PackeisState"]
