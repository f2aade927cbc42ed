"""PettingZoo's parallel interface: all agents act at once, as seats do in joint turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from polynya_games.rl.match import Observation
from polynya_games.rl.spaces import MatchEnvironment

Told = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]
"""The answer to a step: observations, rewards, terminations, truncations, infos."""


class ParallelEnvironment(MatchEnvironment, ParallelEnv[str, Any, Any]):
    """Matches of a game, in which each step takes an action of every agent.

    The actions of agents that do not choose now are ignored: their masks have no action. So games
    without joint turns can be played too, one acting seat a step. All agents stay until the match
    ends. Observations and actions are those of :class:`~polynya_games.rl.aec.Environment`.
    """

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
