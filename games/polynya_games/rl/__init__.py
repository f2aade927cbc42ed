"""Every game as environments of PettingZoo, whose agents are the seats.

:func:`env` is PettingZoo's AEC interface, in which one agent acts after the other;
:func:`parallel_env` is its parallel interface, for games whose seats choose at once. They need the
extra ``polynya[rl]``; nothing else in Polynya imports them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.registry import load

try:
    import gymnasium  # noqa: F401 - named here, so that its absence is explained
    import numpy  # noqa: F401
    import pettingzoo  # noqa: F401
except ModuleNotFoundError as error:
    if error.name not in ("gymnasium", "numpy", "pettingzoo"):
        raise
    raise ModuleNotFoundError(
        f"polynya_games.rl needs {error.name}; pip install 'polynya[rl]' brings it",
        name=error.name,
    ) from error

from polynya_games.rl.aec import Environment
from polynya_games.rl.match import Match, Rewards, ranking_rewards
from polynya_games.rl.parallel import ParallelEnvironment

__all__ = [
    "Environment",
    "Match",
    "ParallelEnvironment",
    "Rewards",
    "env",
    "parallel_env",
    "ranking_rewards",
]


def env(
    game: str,
    players: int = 2,
    options: Mapping[str, Any] | None = None,
    rewards: Rewards = "ranking",
) -> Environment:
    """The environment of an installed game, in which one agent acts after the other.

    Args:
        game: its name.
        players: the number of seats.
        options: set-up options by name; they hold for every match.
        rewards: "ranking", or "scores": see :class:`~polynya_games.rl.match.Match`.

    Raises:
        UnknownGame: no game of this name is installed.
        InvalidOption: the game cannot be set up in this way.
        NoEncoding: the game does not say how its positions and steps become numbers.
    """
    return Environment(Match(load(game), players, options, rewards))


def parallel_env(
    game: str,
    players: int = 2,
    options: Mapping[str, Any] | None = None,
    rewards: Rewards = "ranking",
) -> ParallelEnvironment:
    """The environment of an installed game, in which all agents act at once.

    Arguments and errors are those of :func:`env`.
    """
    return ParallelEnvironment(Match(load(game), players, options, rewards))
