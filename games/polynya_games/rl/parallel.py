"""PettingZoo's parallel interface: all agents act at once, as seats do in joint turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
from pettingzoo import ParallelEnv

from polynya_games.encoding import Encoding
from polynya_games.game import State
from polynya_games.rl.match import Match, Observation

Told = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]
"""The answer to a step: observations, rewards, terminations, truncations, infos."""


class ParallelEnvironment(ParallelEnv[str, Any, Any]):
    """Matches of a game, in which each step takes an action of every agent.

    The actions of agents that do not choose now are ignored: their masks have no action. So games
    without joint turns can be played too, one acting seat a step. All agents stay until the match
    ends. Observations and actions are those of :class:`~polynya_games.rl.aec.Environment`.

    Attributes:
        encoding: how views and steps become numbers.
    """

    render_mode = "ansi"

    def __init__(self, match: Match) -> None:
        self._match = match
        self.encoding: Encoding = match.encoding
        self.metadata = {"name": match.game.name, "render_modes": ["ansi"]}
        self.possible_agents = list(match.agents)
        self.agents = []
        self.observation_spaces = match.observation_spaces()
        self.action_spaces = match.action_spaces()

    @property
    def position(self) -> State:
        """The state of the match, whole, for a search or a closer look."""
        return self._match.position

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """The space of an agent's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a match.

        Args:
            seed: of the match's set-up, 0 to 2**64 - 1, and of those that follow without a seed.
            options: of PettingZoo; there are none.

        Returns:
            The observation and an empty dict for each agent.
        """
        del options
        self._match.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> Told:
        """Play the actions of all agents that choose now.

        Args:
            actions: an action for each agent; those of agents that do not choose are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by agent.

        Raises:
            ValueError: an agent that chooses has no action, or there is no such action. If the
                position does not allow a step, it is an ``IllegalStep``. The position stays.
        """
        missing = [agent for agent in self._match.acting if agent not in actions]
        if missing:
            raise ValueError(f"{missing[0]} chooses now, and has no action")
        told = self.agents
        rewards = self._match.play(actions)
        over = self._match.is_over
        self.agents = [] if over else self.agents
        return (
            self._observations(),
            rewards,
            dict.fromkeys(told, over),
            dict.fromkeys(told, False),
            {agent: {} for agent in told},
        )

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._match.observe(agent) for agent in self.possible_agents}

    def render(self) -> str:
        """The whole position as JSON."""
        return self._match.render()

    def close(self) -> None:
        """Nothing is held open."""
