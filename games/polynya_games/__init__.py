"""The rules of the games: pure values, no input or output."""

from polynya_games.errors import (
    GameError,
    IllegalForfeit,
    IllegalStep,
    IllegalTurn,
    InvalidBoard,
    InvalidOption,
    InvalidState,
    InvalidStep,
    NoEncoding,
    RulesFailed,
    UnknownGame,
)
from polynya_games.game import (
    LEAST_PLAYERS,
    MOST_PLAYERS,
    Game,
    Option,
    Outcome,
    State,
    Step,
    Termination,
)
from polynya_games.registry import DEFAULT_GAME, installed, load, recorded_name
from polynya_games.turns import apply_turn

__all__ = [
    "DEFAULT_GAME",
    "LEAST_PLAYERS",
    "MOST_PLAYERS",
    "Game",
    "GameError",
    "IllegalForfeit",
    "IllegalStep",
    "IllegalTurn",
    "InvalidBoard",
    "InvalidOption",
    "InvalidState",
    "InvalidStep",
    "NoEncoding",
    "Option",
    "Outcome",
    "RulesFailed",
    "State",
    "Step",
    "Termination",
    "UnknownGame",
    "apply_turn",
    "installed",
    "load",
    "recorded_name",
]
