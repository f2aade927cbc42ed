"""Checks the set-up of a match and creates its initial position."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from polynya_games import Game, InvalidOption, State
from polynya_games.chance import deal_of_seed
from polynya_server.match.time_control import check_clock, check_untimed
from polynya_server.records import MatchSetup

GameLoader = Callable[[str], Game]
Scores = Callable[[State], "tuple[int, ...] | None"]


class MatchTerms(NamedTuple):
    """Whether a match has joint turns or hidden parts, and the terms of these.

    Attributes:
        joint: whether the game has joint turns.
        has_view: whether the game hides anything.
        commitment: the hash of the deal, in hexadecimal; None without a deal.
        scores: the scores that spectators see while the match runs.
        waits: whether the rules are asked in another process.
    """

    joint: bool = False
    has_view: bool = False
    commitment: str | None = None
    scores: Scores | None = None
    waits: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether everybody sees everything, and one player moves at a time."""
        return not (self.joint or self.has_view)


PLAIN = MatchTerms()
"""The terms of games in which everybody sees everything, and one player moves at a time."""


def deal_commitment(deal: str) -> str:
    """The hash that is told before a deal is used (wire contract, "Secrets, commitment, reveal").

    Args:
        deal: 32 bytes in hexadecimal.
    """
    return hashlib.sha256(f"polynya-deal-1\n{deal}".encode("ascii")).hexdigest()


def with_deal(load_game: GameLoader, setup: MatchSetup) -> MatchSetup:
    """The set-up with the deal that a game with hidden chance needs: it follows from the seed.

    Raises:
        ValueError: there is no such game (a ``GameError``).
    """
    if setup.deal is not None or not load_game(setup.game).secret_seed:
        return setup
    return msgspec.structs.replace(setup, deal=deal_of_seed(setup.seed).hex())


def match_terms(load_game: GameLoader, setup: MatchSetup) -> MatchTerms:
    """The terms of a match whose set-up has its deal."""
    game = load_game(setup.game)
    commitment = None if setup.deal is None else deal_commitment(setup.deal)
    return MatchTerms(game.joint, game.has_view, commitment, game.scores_so_far, game.waits)


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
    state = game.initial_state(players, seed, options)
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
    origin = setup.seed if setup.deal is None else bytes.fromhex(setup.deal)
    state = game.initial_state(len(setup.players), origin, setup.options)
    defaults = {option.name: option.default for option in game.options}
    options = {name: value for name, value in defaults.items() if value is not None}
    return state, options | setup.options
