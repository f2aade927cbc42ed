"""The store: one SQLite database that holds bots, tournaments, matches, replays and ratings."""

from polynya_tournaments.store.bots import Roster
from polynya_tournaments.store.interventions import Intervention
from polynya_tournaments.store.journal import StoreJournal, open_journal
from polynya_tournaments.store.ladders import LadderPage, LadderRow
from polynya_tournaments.store.match_order import MatchFilter
from polynya_tournaments.store.opening import make_folder
from polynya_tournaments.store.paging import MatchPage, ScheduleRow
from polynya_tournaments.store.planning import OpenPairing, Plan
from polynya_tournaments.store.profiles import Opponent, Place, RatingPoint
from polynya_tournaments.store.progress import Progress
from polynya_tournaments.store.rating_table import Pool
from polynya_tournaments.store.recording import Attempt
from polynya_tournaments.store.rows import (
    BotRow,
    MatchRow,
    PairingRow,
    RatingRow,
    SeatRow,
    TournamentRow,
    VersionRow,
)
from polynya_tournaments.store.store import Store

__all__ = [
    "Attempt",
    "BotRow",
    "Intervention",
    "LadderPage",
    "LadderRow",
    "MatchFilter",
    "MatchPage",
    "MatchRow",
    "OpenPairing",
    "Opponent",
    "PairingRow",
    "Place",
    "Plan",
    "Pool",
    "Progress",
    "RatingPoint",
    "RatingRow",
    "Roster",
    "ScheduleRow",
    "SeatRow",
    "Store",
    "StoreJournal",
    "TournamentRow",
    "VersionRow",
    "make_folder",
    "open_journal",
]
