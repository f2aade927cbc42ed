"""Every game as an environment of PettingZoo's AEC interface: the agents are the seats.

It needs the extra ``polynya[rl]``; nothing else in Polynya imports it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from polynya_games.encoding import Encoding
from polynya_games.game import Game, State
from polynya_games.randomness import SplitMix64
from polynya_games.registry import load

try:
    import gymnasium
    import numpy as np
    from numpy.typing import NDArray
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    if error.name not in ("gymnasium", "numpy", "pettingzoo"):
        raise
    raise ModuleNotFoundError(
        f"polynya_games.rl needs {error.name}; pip install 'polynya[rl]' brings it",
        name=error.name,
    ) from error

__all__ = ["Environment", "env"]

Observation = dict[str, NDArray[Any]]


def env(game: str, players: int = 2, options: Mapping[str, Any] | None = None) -> Environment:
    """The environment of an installed game.

    Args:
        game: its name.
        players: the number of seats.
        options: set-up options by name; they hold for every match.

    Raises:
        UnknownGame: no game of this name is installed.
        InvalidOption: the game cannot be set up in this way.
        NoEncoding: the game does not say how its positions and steps become numbers.
    """
    return Environment(load(game), players, options)


class Environment(AECEnv[str, Any, Any]):
    """Matches of a game, in which the seats' agents choose one step at a time.

    The agents are ``seat_0``, ``seat_1``, …. The same agent is asked again until its turn is over.
    All of them stay until the match ends, since only then are there rewards.

    Observations are ``{"observation": int32 vector, "action_mask": int8 vector}``: the numbers of
    the encoding's parts, and a 1 for each legal action, none while another agent is to move.
    The action ``a`` is the step ``encoding.steps[a]``.

    Rewards come at the end, from the ranking: for each other seat ``1 / (players - 1)`` if it ranks
    lower, minus that if it ranks higher. They are from -1 to 1 and add up to 0.

    Attributes:
        encoding: how positions and steps become numbers.
        position: the state of the match, for a search or a closer look.
    """

    render_mode = "ansi"

    def __init__(
        self, game: Game, players: int = 2, options: Mapping[str, Any] | None = None
    ) -> None:
        self.encoding: Encoding = game.encoding(players, options)
        self.position: State = game.setup(players, 0, options)
        self.metadata = {"name": game.name, "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self.agents = []
        self._game = game
        self._options = dict(options or {})
        self._seeds = SplitMix64(secrets.randbits(64))
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: self._observation_space() for agent in self._seats}
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(len(self.encoding.steps)) for agent in self._seats
        }

    def _observation_space(self) -> gymnasium.spaces.Dict:
        highs = np.array(self.encoding.highs, np.int32)
        return gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(np.zeros_like(highs), highs, dtype=np.int32),
                "action_mask": gymnasium.spaces.MultiBinary(len(self.encoding.steps)),
            }
        )

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match.

        Args:
            seed: of the match's set-up, 0 to 2**64 - 1, and of those that follow without a seed.
            options: of PettingZoo; there are none. Set-up options are given to ``env``, because
                the spaces depend on them.
        """
        del options
        if seed is not None:
            self._seeds = SplitMix64(seed)
        chosen = self._seeds.next() if seed is None else seed
        self.position = self._game.setup(len(self._seats), chosen, self._options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment] # as PettingZoo itself does
        self._select()

    def step(self, action: int | None) -> None:
        """Make the step of an action; None for an agent whose match is over.

        Raises:
            ValueError: there is no such action, or the position does not allow its step (an
                ``IllegalStep``); the position stays as it is.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if not self.action_space(agent).contains(action):
            last = len(self.encoding.steps) - 1
            raise ValueError(f"an action is an integer from 0 to {last}, not {action!r}")
        self.position = self.position.apply(self.encoding.steps[int(action or 0)])
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        """Turn to the seat to move, or end the match for all."""
        outcome = self.position.outcome
        if outcome is None:
            self.agent_selection = self.possible_agents[self.position.to_move or 0]
            return
        self.terminations = dict.fromkeys(self.agents, True)
        self.rewards = dict(zip(self.agents, rewards(outcome.ranking), strict=True))
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """An agent's observation, its mask included; the games hide nothing."""
        seat = self._seats[agent]
        legal = self.position.legal_steps() if seat == self.position.to_move else []
        numbers = self.encoding.observe(self.position.to_json(), seat)
        return {
            "observation": np.array(numbers, np.int32),
            "action_mask": np.array(self.encoding.mask(legal), np.int8),
        }

    def render(self) -> str:
        """The position as bots see it, as JSON."""
        return json.dumps(self.position.to_json())

    def close(self) -> None:
        """Nothing is held open."""


def rewards(ranking: tuple[int, ...]) -> list[float]:
    """Per seat the share of the others that it ranks above, minus the share that ranks above it."""
    others = len(ranking) - 1
    return [sum((rank < other) - (rank > other) for other in ranking) / others for rank in ranking]
