"""One of OpenSpiel's games with its parameters: what all positions of a match have in common."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import pyspiel

from polynya_foreign.openspiel import PREFIX
from polynya_foreign.openspiel.factors import factor
from polynya_foreign.openspiel.parameters import Value, options_of, written
from polynya_games import RulesFailed


@functools.cache
def kinds() -> Mapping[str, Any]:
    """OpenSpiel's ``GameType`` of all its games by name, in alphabetical order."""
    return {kind.short_name: kind for kind in pyspiel.registered_games()}


def draws(kind: Any) -> bool:
    """Whether chance has a part in a game."""
    return bool(kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC)


def hides(kind: Any) -> bool:
    """Whether seats of a game do not see everything."""
    return bool(kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION)


class Model:
    """A game of OpenSpiel with parameters.

    Args:
        name: OpenSpiel's name.
        values: its parameters that do not have their default.

    Attributes:
        game: OpenSpiel's game.
        players: the number of seats.
        options: the parameters that are options, as they stand in documents.
        hidden: whether a seat does not see everything.
        secret: whether matches have a secret deal, which does not depend on the parameters.
        factor: scores are returns times this, rounded.

    Raises:
        pyspiel.SpielError: OpenSpiel refuses the parameters.
    """

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        self.name = name
        self.game: Any = pyspiel.load_game(name, dict(values))
        self.players: int = self.game.num_players()
        specification = kinds()[name].parameter_specification
        self.options: Mapping[str, Value] = {
            option.name: written(values.get(option.name, specification[option.name]))
            for option in options_of(specification)
        }
        kind = self.game.get_type()
        self.hidden = hides(kind)
        self.secret = draws(kinds()[name])
        self.has_information: bool = kind.provides_information_state_string
        self.has_observation: bool = kind.provides_observation_string
        self.factor = factor(name, self.game, values)

    @property
    def full_name(self) -> str:
        """The name that matches are recorded with."""
        return PREFIX + self.name

    def scores(self, returns: Sequence[float]) -> tuple[int, ...]:
        """OpenSpiel's returns as scores."""
        return tuple([round(value * self.factor) for value in returns])

    def failed(self, error: Exception, doing: str) -> RulesFailed:
        """The error of rules that refuse what they called legal themselves."""
        return RulesFailed(f"OpenSpiel's {self.name}: {error}", self.full_name, doing)


@functools.lru_cache(64)
def model(name: str, values: tuple[tuple[str, Any], ...]) -> Model:
    """The model of a name and sorted parameters: one object for all matches."""
    return Model(name, dict(values))
