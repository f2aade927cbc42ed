"""A sealed-bid auction for Polynya."""

from .game import Auction

AUCTION = Auction()
