"""The same for bots in asyncio or trio: write ``async def choose(turn)``, and await ``run``.

Install it by ``pip install 'polynya-client[asyncio]'``, or ``[trio]``. Matches are played side by
side, each by a task of its own, and pings are answered while a bot awaits something. A long
computation goes into a thread (``asyncio.to_thread``, ``trio.to_thread.run_sync``), or it
holds up the other matches and the pings.
"""

from polynya_client.aio.bot import Bot, Choose, Turn
from polynya_client.aio.client import run
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

__all__ = [
    "BadFrame",
    "BadMessage",
    "BadSettings",
    "BadTurn",
    "Bot",
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
    "run",
]
