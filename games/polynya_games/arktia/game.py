"""Arktia: how matches are set up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.arktia.board import board_of
from polynya_games.arktia.encoding import encoding
from polynya_games.arktia.reading import read_state
from polynya_games.arktia.reserves import FULL, NEUTRAL_FULL
from polynya_games.arktia.rows import board_from
from polynya_games.arktia.setting import (
    NEUTRALS,
    ROWS,
    Setting,
    muglus_in_opening,
    muglus_in_play,
)
from polynya_games.arktia.state import ArktiaState
from polynya_games.encoding import Encoding
from polynya_games.errors import InvalidOption
from polynya_games.game import Game, Option
from polynya_games.turns import describe

ROUND_LIMIT = 60


class Arktia(Game):
    """Build with muglus on the ice, cut the others off, and melt what is left."""

    name = "arktia"
    title = "Arktia"
    options = (
        Option(
            "neutrals",
            None,
            "whether neutral muglus take part: true with 2 players, true or false (the default) "
            "with 3, false with 4",
        ),
        Option(
            "rows",
            None,
            "the board, rows from north to south as [length, indent in half tiles] or as lists of "
            "such segments: connected, from as many tiles as muglus in the opening to 127",
        ),
        Option(
            "round_limit",
            ROUND_LIMIT,
            "the match is over after so many rounds of the main phase: an integer from 1",
        ),
    )

    def setup(
        self, players: int, seed: int = 0, options: Mapping[str, Any] | None = None
    ) -> ArktiaState:
        """The empty board; nothing is random, so every seed gives the same."""
        given = dict(options or {})
        self.check_setup(players, seed, given)
        neutrals = _neutrals(players, given.get("neutrals", NEUTRALS[players][0]))
        if "rows" in given:
            board = board_from(given["rows"], muglus_in_opening(players, neutrals))
        else:
            board = board_of(ROWS[muglus_in_play(players, neutrals)])
        limit = _round_limit(given.get("round_limit", ROUND_LIMIT))
        return initial_state(Setting(players, neutrals, board, limit))

    def state_from_json(self, data: object) -> ArktiaState:
        """The position that a document describes."""
        return read_state(data)

    def encoding(self, players: int, options: Mapping[str, Any] | None = None) -> Encoding:
        """How positions and steps become numbers, for those who train bots."""
        return encoding(self.setup(players, 0, options).setting)


def initial_state(setting: Setting) -> ArktiaState:
    """The position before the first muglu is placed."""
    none = (0,) * setting.players
    return ArktiaState(
        setting=setting,
        packed=0,
        ice=setting.board.everything,
        reserves=(FULL,) * setting.players,
        neutral_reserves=(NEUTRAL_FULL,) * setting.players if setting.neutrals else none,
        taken=none,
        melted=none,
        phase="neutral" if setting.neutrals else "opening",
    )


def _neutrals(players: int, value: object) -> bool:
    for allowed in NEUTRALS[players]:
        if value is allowed:
            return allowed
    choices = " or ".join(describe(allowed) for allowed in NEUTRALS[players])
    raise InvalidOption(f"neutrals with {players} players is {choices}, not {describe(value)}")


def _round_limit(value: object) -> int:
    if type(value) is int and value >= 1:
        return value
    raise InvalidOption(f"round_limit is an integer from 1, not {describe(value)}")


ARKTIA = Arktia()
