"""Rating pools: groups of matches whose ratings are comparable.

A pool is a game, a number of players, how long its bots may think, the options that change the
game, and a system of ratings. Hosts call a pool a ladder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from polynya_games import UnknownGame, load
from polynya_protocol.messages import Clock

System = Literal["elo", "openskill"]

ClockClass = Literal["ultrabullet", "bullet", "blitz", "rapid", "classical", "unknown"]
CLOCK_CLASSES: tuple[ClockClass, ...] = get_args(ClockClass)
"""The quickest first; ``unknown`` where a result came from elsewhere without its clock."""

TURNS = 40
"""A bot's turns in a match, as chess servers estimate them for this purpose."""

_LESS_THAN_S: tuple[tuple[int, ClockClass], ...] = (
    (30, "ultrabullet"),
    (180, "bullet"),
    (480, "blitz"),
    (1_500, "rapid"),
)
_LONGEST_VALUE = 24
"""Longer option values are replaced by their SHA-256."""


class Pool(NamedTuple):
    """The key of a rating pool.

    Attributes:
        game: its name.
        players: of a match.
        system: what the ratings are made by.
        clock_class: see :func:`clock_class`.
        variant: see :func:`variant`; "" for the game's usual options.
    """

    game: str
    players: int
    system: System
    clock_class: str
    variant: str = ""


def pool_of(
    game: str, players: int, system: System, clock: Clock, options: Mapping[str, Any]
) -> Pool:
    """The pool of matches with these settings."""
    return Pool(game, players, system, clock_class(clock), variant(game, options))


def clock_class(clock: Clock) -> ClockClass:
    """How long a bot may think in a match: ``initial_ms`` and 40 increments, or 40 times a move.

    It is less than 30 s, 3 min, 8 min or 25 min, or more: the classes of chess servers. Where a
    clock limits both the match and each move, the shorter estimate holds.
    """
    estimates = []
    if clock.initial_ms is not None:
        estimates.append(clock.initial_ms + TURNS * (clock.increment_ms or 0))
    if clock.move_ms is not None:
        estimates.append(TURNS * clock.move_ms)
    if not estimates:
        return "unknown"
    for limit_s, name in _LESS_THAN_S:
        if min(estimates) < 1_000 * limit_s:
            return name
    return "classical"


def variant(game: str, options: Mapping[str, Any]) -> str:
    """The set-up options that are not the usual ones, by name: ``layout="even", rows=[…]``.

    What an option has by default is left out, so that writing it changes nothing.
    """
    return _variant(game, json.dumps(options, sort_keys=True)) if options else ""


@lru_cache(maxsize=1024)
def _variant(game: str, options: str) -> str:
    usual = _usual(game)
    return ", ".join(
        f"{name}={_short(json.dumps(value, separators=(',', ':')))}"
        for name, value in sorted(json.loads(options).items())
        if not (name in usual and usual[name] == value)
    )


def _usual(game: str) -> dict[str, Any]:
    """The defaults of a game's options that do not depend on the number of players."""
    try:
        found = load(game).options
    except UnknownGame:
        return {}
    return {option.name: option.default for option in found if option.default is not None}


def _short(value: str) -> str:
    if len(value) <= _LONGEST_VALUE:
        return value
    return f"#{hashlib.sha256(value.encode()).hexdigest()[:12]}"
