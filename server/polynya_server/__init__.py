"""The server: connections, bots' sessions, matches before a referee, spectators, on trio."""

from polynya_server.assembly import open_server
from polynya_server.errors import ServerStoppingError
from polynya_server.match.seat import Answer, Fault, MatchContext, Participant, TurnTiming
from polynya_server.records import (
    ForfeitRecord,
    Journal,
    MatchRecord,
    MatchSetup,
    MemoryJournal,
    TurnRecord,
    decode_replay,
    encode_replay,
    players_of,
)
from polynya_server.server import Farewell, Server
from polynya_server.sessions.bot_registry import ConnectedBot
from polynya_server.sessions.handshake import HelloError
from polynya_server.sessions.tokens import hash_token, new_token
from polynya_server.settings import ServerSettings

__all__ = [
    "Answer",
    "ConnectedBot",
    "Farewell",
    "Fault",
    "ForfeitRecord",
    "HelloError",
    "Journal",
    "MatchContext",
    "MatchRecord",
    "MatchSetup",
    "MemoryJournal",
    "Participant",
    "Server",
    "ServerSettings",
    "ServerStoppingError",
    "TurnRecord",
    "TurnTiming",
    "decode_replay",
    "encode_replay",
    "hash_token",
    "new_token",
    "open_server",
    "players_of",
]
