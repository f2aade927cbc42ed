"""Helpers for tests of the server: a small game, scripted players, a raw client."""

from tests.scripted.race import RACE, Race, RaceState
from tests.scripted.race_host import RaceHost, race_host, token
from tests.scripted.raw_client import RawClient, connected, frame
from tests.scripted.scripted_seat import (
    Leave,
    Reply,
    ScriptedParticipant,
    ScriptedSeat,
    Silence,
)

__all__ = [
    "RACE",
    "Leave",
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
