"""PettingZoo's AEC interface: one agent acts after the other, and none sees a joint turn early."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from polynya_games.rl.match import Match, Observation
from polynya_games.rl.spaces import MatchEnvironment


class Environment(MatchEnvironment, AECEnv[str, Any, Any]):
    """Matches of a game, in which the seats' agents choose one step at a time.

    The same agent is asked again until its turn is over. In a joint turn the agents that act are
    asked one after the other, by seat; all of them observe the position before the turn, which
    changes when the last one has answered. All agents stay until the match ends.

    Observations are ``{"observation": int32 vector, "action_mask": int8 vector}``: the numbers of
    the encoding's parts, and a 1 for each legal action, none while another agent is asked.
    The action ``a`` is the step ``encoding.steps[a]``.
    """

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.metadata["is_parallelizable"] = False
        self._answers: dict[str, int | None] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match.

        Args:
            seed: of the match's set-up, 0 to 2**64 - 1, and of those that follow without a seed.
            options: of PettingZoo; there are none. Set-up options are given to ``env``, because
                the spaces depend on them.
        """
        del options
        self._match.begin(seed)
        self._answers = {}
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
        rewards = self._answer(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = rewards
        self._select()
        self._accumulate_rewards()

    def _answer(self, agent: str, action: int | None) -> dict[str, float]:
        """Take an answer; the turn is played when it was the last one."""
        answers = {**self._answers, agent: action}
        if len(answers) < len(self._match.acting):
            self._match.check(agent, action)
            self._answers = answers
            return dict.fromkeys(self.agents, 0.0)
        rewards = self._match.play(answers)
        self._answers = {}
        return rewards

    def _select(self) -> None:
        """Turn to the agent that is asked next, or end the match for all."""
        waiting = [agent for agent in self._match.acting if agent not in self._answers]
        if not waiting:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = waiting[0] if waiting else self.agents[0]

    def observe(self, agent: str) -> Observation:
        """An agent's observation; the mask has an action only if the agent is asked now."""
        return self._match.observe(agent, may_act=agent == self.agent_selection)
