"""The store: one SQLite database that holds bots, tournaments, matches, replays and ratings."""

from polynya_tournaments.store.bots import Roster
from polynya_tournaments.store.journal import StoreJournal, open_journal
from polynya_tournaments.store.planning import OpenPairing, Plan
from polynya_tournaments.store.recording import Attempt
from polynya_tournaments.store.rows import (
    BotRow,
    MatchRow,
    PairingRow,
    RatingRow,
    SeatRow,
    TournamentRow,
)
from polynya_tournaments.store.store import Store

__all__ = [
    "Attempt",
    "BotRow",
    "MatchRow",
    "OpenPairing",
    "PairingRow",
    "Plan",
    "RatingRow",
    "Roster",
    "SeatRow",
    "Store",
    "StoreJournal",
    "TournamentRow",
    "open_journal",
]
