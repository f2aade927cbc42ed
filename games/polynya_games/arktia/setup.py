"""The set-up: the options, and the empty board; nothing is random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.arktia.board import board_of
from polynya_games.arktia.document import board_from
from polynya_games.arktia.position import (
    NEUTRALS,
    ROUND_LIMIT,
    ROWS,
    RulesConfig,
    muglus_in_opening,
    muglus_in_play,
)
from polynya_games.arktia.refusals import REFUSALS
from polynya_games.arktia.rules import ArktiaState
from polynya_games.arktia.stacks import FULL, NEUTRAL_FULL
from polynya_games.errors import InvalidOption, describe
from polynya_games.refusals import refusal


def initial_state(players: int, options: Mapping[str, Any]) -> ArktiaState:
    """The position before the first muglu is placed.

    Raises:
        InvalidOption: an option has no such value.
    """
    rules = rules_of(players, options)
    none = (0,) * players
    return ArktiaState(
        rules=rules,
        packed=0,
        ice=rules.board.everything,
        reserves=(FULL,) * players,
        neutral_reserves=(NEUTRAL_FULL,) * players if rules.neutrals else none,
        taken=none,
        melted=none,
        phase="neutral" if rules.neutrals else "opening",
    )


def rules_of(players: int, options: Mapping[str, Any]) -> RulesConfig:
    """The match that the options describe.

    Raises:
        InvalidOption: an option has no such value.
    """
    neutrals = _neutrals(players, options.get("neutrals", NEUTRALS[players][0]))
    if "rows" in options:
        board = board_from(options["rows"], muglus_in_opening(players, neutrals))
    else:
        board = board_of(ROWS[muglus_in_play(players, neutrals)])
    limit = _round_limit(options.get("round_limit", ROUND_LIMIT))
    return RulesConfig(players, neutrals, board, limit)


def _neutrals(players: int, value: object) -> bool:
    for allowed in NEUTRALS[players]:
        if value is allowed:
            return allowed
    choices = " or ".join(describe(allowed) for allowed in NEUTRALS[players])
    raise _invalid("neutrals_of_players", players=players, choices=choices, value=describe(value))


def _round_limit(value: object) -> int:
    if type(value) is int and value >= 1:
        return value
    raise _invalid("below_range", key="round_limit", least=1, value=describe(value))


def _invalid(code: str, **fields: Any) -> InvalidOption:
    return refusal(InvalidOption, REFUSALS, code, **fields)
