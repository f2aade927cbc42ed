"""Ice Cult: tip the blocks, and lead five pawns out of the cold along the arrows on top."""

from polynya_games.icecult.game import ICECULT, IceCult
from polynya_games.icecult.state import IceCultState
from polynya_games.icecult.whole_turns import successors, turns

__all__ = ["ICECULT", "IceCult", "IceCultState", "successors", "turns"]
