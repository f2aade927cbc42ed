"""Connect a bot to a Polynya server: write one function, ``choose(turn)``, and call ``run``."""

from polynya_client.bot import Bot, Choose
from polynya_client.client import run, run_each
from polynya_client.errors import (
    BadFrame,
    BadMessage,
    BadSettings,
    BadTurn,
    ClientError,
    ConnectionLost,
    GaveUp,
    NotWanted,
    Replaced,
    ServerError,
    ServerLeft,
    TurnLost,
)
from polynya_client.events import Clock, Forfeited, Legal, MatchOver, Moved, Player, Step, Steps
from polynya_client.match import Match
from polynya_client.turn import Cancellation, Turn
from polynya_client.version import __version__

__all__ = [
    "BadFrame",
    "BadMessage",
    "BadSettings",
    "BadTurn",
    "Bot",
    "Cancellation",
    "Choose",
    "ClientError",
    "Clock",
    "ConnectionLost",
    "Forfeited",
    "GaveUp",
    "Legal",
    "Match",
    "MatchOver",
    "Moved",
    "NotWanted",
    "Player",
    "Replaced",
    "ServerError",
    "ServerLeft",
    "Step",
    "Steps",
    "Turn",
    "TurnLost",
    "__version__",
    "run",
    "run_each",
]
