"""Helpers for tests of the server: a small game, scripted players, a raw client."""

from polynya_server.testing.race import RACE, Race, RaceState
from polynya_server.testing.race_host import RaceHost, race_host, token
from polynya_server.testing.raw_client import RawClient, connected, frame
from polynya_server.testing.scripted_seat import (
    Reply,
    ScriptedParticipant,
    ScriptedSeat,
    Silence,
)

__all__ = [
    "RACE",
    "Race",
    "RaceHost",
    "RaceState",
    "RawClient",
    "Reply",
    "ScriptedParticipant",
    "ScriptedSeat",
    "Silence",
    "connected",
    "frame",
    "race_host",
    "token",
]
