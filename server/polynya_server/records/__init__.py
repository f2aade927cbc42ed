"""Records: the set-up of a match, its events, its replay, and the journal that keeps them.

It knows no other part of the server.
"""

from polynya_server.records.journal import Journal, MemoryJournal
from polynya_server.records.match_events import (
    EventLog,
    ForfeitRecord,
    MatchEvent,
    TurnRecord,
    bounded_steps,
)
from polynya_server.records.replay import (
    REPLAY_VERSION,
    MachineLoad,
    MatchRecord,
    MatchSetup,
    Reveal,
    RulesFailure,
    decode_replay,
    encode_replay,
    players_of,
)

__all__ = [
    "REPLAY_VERSION",
    "EventLog",
    "ForfeitRecord",
    "Journal",
    "MachineLoad",
    "MatchEvent",
    "MatchRecord",
    "MatchSetup",
    "MemoryJournal",
    "Reveal",
    "RulesFailure",
    "TurnRecord",
    "bounded_steps",
    "decode_replay",
    "encode_replay",
    "players_of",
]
