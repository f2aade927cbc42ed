"""Checks the set-up of a match and creates its initial position."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from polynya_games import Game, InvalidOption, State
from polynya_server.match.time_control import check_clock, check_untimed
from polynya_server.records import MatchSetup

GameLoader = Callable[[str], Game]


def check_setup(setup: MatchSetup) -> None:
    """Refuse an unplayable set-up.

    Raises:
        ValueError: the message says why.
    """
    if len(set(setup.players)) != len(setup.players):
        raise ValueError("a bot holds at most one seat of a match")
    if setup.ratings and len(setup.ratings) != len(setup.players):
        raise ValueError(f"there are {len(setup.players)} seats, but {len(setup.ratings)} ratings")
    check_clock(setup.clock)
    check_untimed(setup.untimed, len(setup.players), rated=setup.rated)


def check_game(game: Game, players: int, seed: int, options: Mapping[str, Any]) -> None:
    """Refuse a game, a number of players or options with which no match can be played.

    The rules may leave an integer unbounded, such as a limit of rounds; messages bound it.

    Raises:
        GameError: the message says why.
    """
    state = game.setup(players, seed, options)
    try:
        msgspec.msgpack.encode((options, state.to_json()))
    except OverflowError as error:
        raise InvalidOption(
            f"the options of {game.title} have an integer that no message can carry: "
            "the greatest is 18446744073709551615"
        ) from error


def create_initial_state(load_game: GameLoader, setup: MatchSetup) -> tuple[State, dict[str, Any]]:
    """The initial position and the game's options with the defaults filled in.

    An option without a fixed default is included only if it was given, so that the options
    reproduce the same set-up.

    Raises:
        ValueError: there is no such game, or not with these options (a ``GameError``).
    """
    game = load_game(setup.game)
    state = game.setup(len(setup.players), setup.seed, setup.options)
    defaults = {option.name: option.default for option in game.options}
    options = {name: value for name, value in defaults.items() if value is not None}
    return state, options | setup.options
