"""OpenSpiel's own bots as built-in bots: for each the program, its arguments, and its games.

Both need the whole position: so they play the games in which one seat chooses at a time, all see
everything, and the returns come at the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from polynya_foreign.openspiel import PREFIX

PERFECT: Final = [
    "amazons",
    "antichess",
    "backgammon",
    "banqi",
    "breakthrough",
    "checkers",
    "chess",
    "chinese_checkers",
    "clobber",
    "connect_four",
    "crazyhouse",
    "cursor_go",
    "dots_and_boxes",
    "einstein_wurfelt_nicht",
    "go",
    "gomoku",
    "havannah",
    "hex",
    "hive",
    "lines_of_action",
    "maedn",
    "mancala",
    "mnk",
    "nim",
    "nine_mens_morris",
    "othello",
    "oware",
    "pentago",
    "pig",
    "quoridor",
    "shogi",
    "tic_tac_toe",
    "twixt",
    "ultimate_tic_tac_toe",
    "xiangqi",
    "y",
    "yacht",
]
"""OpenSpiel's names of these games."""

_PROGRAM: Final = str(Path(__file__).with_name("search_bot.py"))
_GAMES: Final = [PREFIX + name for name in PERFECT]

MCTS: Final[dict[str, Any]] = {"program": _PROGRAM, "arguments": ["mcts"], "games": _GAMES}
"""OpenSpiel's Monte Carlo tree search with random playouts."""
UNIFORM: Final[dict[str, Any]] = {"program": _PROGRAM, "arguments": ["uniform"], "games": _GAMES}
"""OpenSpiel's bot that chooses each legal action equally often."""
