"""The store: one database that holds bots, tournaments, matches, replays and ratings."""

from polynya_contest.ratings.pool import Pool
from polynya_store.backends.backend import News, ladder_claim, tournament_claim
from polynya_store.bots.bot_repository import Roster
from polynya_store.game_servers import GameServer
from polynya_store.ladder.bot_profiles import Opponent, Place, RatingPoint
from polynya_store.ladder.interventions import OPERATOR, Intervention
from polynya_store.ladder.ladder_repository import LadderPage, LadderRow
from polynya_store.match_journal import StoreJournal, open_journal
from polynya_store.matches.match_list import MatchFilter, MatchPage
from polynya_store.matches.match_recording import Attempt
from polynya_store.matches.match_repository import why_not_seen, why_not_seen_by_seats
from polynya_store.matches.recent_results import RecentResult
from polynya_store.matches.selected_results import (
    Kind,
    SelectedResults,
    Selection,
    of_most_frequent,
)
from polynya_store.rows import (
    BotRow,
    MatchRow,
    PairingRow,
    RatingRow,
    SeatRow,
    TournamentRow,
    VersionRow,
)
from polynya_store.standby import open_when_free
from polynya_store.store import Store
from polynya_store.tournaments.open_pairings import OpenPairing
from polynya_store.tournaments.schedule import Meeting, ScheduleRow
from polynya_store.tournaments.tournament_progress import Progress

__all__ = [
    "OPERATOR",
    "Attempt",
    "BotRow",
    "GameServer",
    "Intervention",
    "Kind",
    "LadderPage",
    "LadderRow",
    "MatchFilter",
    "MatchPage",
    "MatchRow",
    "Meeting",
    "News",
    "OpenPairing",
    "Opponent",
    "PairingRow",
    "Place",
    "Pool",
    "Progress",
    "RatingPoint",
    "RatingRow",
    "RecentResult",
    "Roster",
    "ScheduleRow",
    "SeatRow",
    "SelectedResults",
    "Selection",
    "Store",
    "StoreJournal",
    "TournamentRow",
    "VersionRow",
    "ladder_claim",
    "of_most_frequent",
    "open_journal",
    "open_when_free",
    "tournament_claim",
    "why_not_seen",
    "why_not_seen_by_seats",
]
