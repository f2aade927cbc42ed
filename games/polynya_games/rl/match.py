"""A match for training: positions, and what each agent observes, may do and is given for it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
from numpy.typing import NDArray

from polynya_games.encoding import Encoding
from polynya_games.errors import IllegalStep, describe
from polynya_games.game import Game, State, Step
from polynya_games.randomness import SplitMix64
from polynya_games.refusals import COMMON, refusal
from polynya_games.seats import acting, legal_steps, view
from polynya_games.turns import apply_joint

Observation = dict[str, NDArray[Any]]
Rewards = Literal["ranking", "scores"]


class Match:
    """Matches of a game, one after the other, played by agents.

    The agents are ``seat_0``, ``seat_1``, …. An observation is computed from the view of the
    agent's seat and from nothing else: what is hidden from a bot is hidden from an agent.

    Args:
        game: the game.
        players: the number of seats.
        options: set-up options by name; they hold for every match.
        rewards: "ranking": at the end, for each other seat ``1 / (players - 1)`` if it ranks lower,
            minus that if it ranks higher; they are from -1 to 1 and add up to 0. "scores": after
            each turn what it added to the seat's score, as far as the game tells scores while a
            match runs, else at the end.

    Attributes:
        agents: the names of all agents, by seat.
        encoding: how views and steps become numbers.
        position: the state of the match.

    Raises:
        InvalidOption: the game cannot be set up in this way.
        NoEncoding: the game does not say how its positions and steps become numbers.
        ValueError: there are no rewards of this name.
    """

    def __init__(
        self,
        game: Game,
        players: int = 2,
        options: Mapping[str, Any] | None = None,
        rewards: Rewards = "ranking",
    ) -> None:
        if rewards not in ("ranking", "scores"):
            raise ValueError(f'rewards are "ranking" or "scores", not {rewards!r}')
        self.game = game
        self.encoding: Encoding = game.encoding(players, options)
        self.position: State = game.initial_state(players, 0, options)
        self.agents = [f"seat_{seat}" for seat in range(players)]
        self._options = dict(options or {})
        self._rewards = rewards
        self._scores = (0,) * players
        self._seeds = SplitMix64(secrets.randbits(64))
        self._seats = {agent: seat for seat, agent in enumerate(self.agents)}

    def observation_spaces(self) -> dict[str, gymnasium.spaces.Space[Any]]:
        """A space for each agent's observations."""
        highs = np.array(self.encoding.highs, np.int32)
        return {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(
                        np.zeros_like(highs), highs, dtype=np.int32
                    ),
                    "action_mask": gymnasium.spaces.MultiBinary(len(self.encoding.steps)),
                }
            )
            for agent in self.agents
        }

    def action_spaces(self) -> dict[str, gymnasium.spaces.Space[Any]]:
        """A space for each agent's actions."""
        return {agent: gymnasium.spaces.Discrete(len(self.encoding.steps)) for agent in self.agents}

    def begin(self, seed: int | None = None) -> None:
        """Begin a match.

        Args:
            seed: of its set-up, 0 to 2**64 - 1, and of the set-ups after it; without it the next
                set-up of the last seed. A game with a secret deal takes a seed as
                :func:`~polynya_games.chance.deal_of_seed` says.
        """
        if seed is not None:
            self._seeds = SplitMix64(seed)
        chosen = self._seeds.next() if seed is None else seed
        self.position = self.game.initial_state(len(self.agents), chosen, self._options)
        self._scores = (0,) * len(self.agents)

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.position.outcome is not None

    @property
    def acting(self) -> list[str]:
        """The agents that choose now, by seat; none if the match is over."""
        return [self.agents[seat] for seat in acting(self.position)]

    def observe(self, agent: str, *, may_act: bool = True) -> Observation:
        """An agent's observation, with the mask of its legal actions.

        Args:
            agent: the agent.
            may_act: False for a mask without any action.
        """
        seat = self._seats[agent]
        legal = legal_steps(self.position, seat) if may_act else []
        numbers = self.encoding.observe(view(self.position, seat), seat)
        return {
            "observation": np.array(numbers, np.int32),
            "action_mask": np.array(self.encoding.mask(legal), np.int8),
        }

    def check(self, agent: str, action: Any) -> None:
        """Whether an agent that chooses now may take an action.

        Raises:
            ValueError: there is no such action, or the position does not allow its step (an
                ``IllegalStep``).
        """
        step, legal = self._step_of(action), legal_steps(self.position, self._seats[agent])
        if step not in legal:
            raise refusal(IllegalStep, COMMON, "not_legal", legal=describe(legal))

    def _step_of(self, action: Any) -> Step:
        last = len(self.encoding.steps) - 1
        if not isinstance(action, (int, np.integer)) or not 0 <= action <= last:
            raise ValueError(f"an action is an integer from 0 to {last}, not {action!r}")
        return self.encoding.steps[int(action)]

    def play(self, actions: Mapping[str, Any]) -> dict[str, float]:
        """Play the actions of all agents that choose now; gives the reward of each agent.

        Raises:
            ValueError: an action is none, or the position does not allow its step (an
                ``IllegalStep``); the position stays as it is.
        """
        steps = {self._seats[agent]: self._step_of(actions[agent]) for agent in self.acting}
        if len(steps) > 1:
            self.position = apply_joint(self.position, steps)
        else:
            [step] = steps.values()
            self.position = self.position.apply(step)
        return dict(zip(self.agents, self._rewarded(), strict=True))

    def _rewarded(self) -> list[float]:
        """Per seat the reward of the last step or joint turn."""
        outcome = self.position.outcome
        if self._rewards == "ranking":
            return [0.0] * len(self.agents) if outcome is None else ranking_rewards(outcome.ranking)
        before = self._scores
        scores = self.game.scores_so_far(self.position)
        self._scores = before if scores is None else scores
        return [float(now - then) for now, then in zip(self._scores, before, strict=True)]

    def render(self) -> str:
        """The whole position, as JSON."""
        return json.dumps(self.position.to_json())


def ranking_rewards(ranking: tuple[int, ...]) -> list[float]:
    """Per seat the share of the others that it ranks above, minus the share that ranks above it."""
    others = len(ranking) - 1
    return [sum((rank < other) - (rank > other) for other in ranking) / others for rank in ranking]
