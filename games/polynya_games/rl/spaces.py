"""The common part of both of PettingZoo's interfaces: agents, spaces, and the match."""

from __future__ import annotations

from typing import Any

import gymnasium

from polynya_games.encoding import Encoding
from polynya_games.game import State
from polynya_games.rl.match import Match


class MatchEnvironment:
    """Agents of a match, with the spaces of their observations and actions.

    Attributes:
        encoding: how views and steps become numbers.
    """

    render_mode = "ansi"

    def __init__(self, match: Match) -> None:
        self._match = match
        self.encoding: Encoding = match.encoding
        self.metadata: dict[str, Any] = {"name": match.game.name, "render_modes": ["ansi"]}
        self.possible_agents = list(match.agents)
        self.agents: list[str] = []
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

    def render(self) -> str:
        """The whole position as JSON."""
        return self._match.render()

    def close(self) -> None:
        """Nothing is held open."""
