"""A game of OpenSpiel as a game here: set-up, documents, boards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pyspiel

from polynya_foreign.openspiel import PREFIX
from polynya_foreign.openspiel.boards import board, rows
from polynya_foreign.openspiel.model import Model, draws, hides, model
from polynya_foreign.openspiel.nodes import CHANCE, Node, Played, keep, kept, root
from polynya_foreign.openspiel.parameters import options_of, parameters
from polynya_foreign.openspiel.position import (
    HidingJointPosition,
    HidingPosition,
    JointPosition,
    Position,
)
from polynya_foreign.openspiel.trial import flaw
from polynya_games import Game, InvalidOption, InvalidState, RulesFailed
from polynya_games.boards import Board
from polynya_games.chance import NO_DEAL, deal_from_hex, deal_of_seed
from polynya_games.errors import describe
from polynya_games.reading import (
    read_game,
    read_groups,
    read_integer,
    read_list,
    read_seats,
)

KEYS: Final = ("game", "players", "options", "history", "acting", "forfeited", "state")
SHORTER: Final = 8
"""How many actions fewer a kept node may have than a document's history."""


class SpielGame(Game):
    """One of OpenSpiel's games.

    Args:
        kind: OpenSpiel's ``GameType``.
        players: the least and the greatest number of seats.
    """

    def __init__(self, kind: Any, players: tuple[int, int]) -> None:
        self.kind = kind
        self.spiel_name: str = kind.short_name
        self.specification: Mapping[str, Any] = dict(kind.parameter_specification)
        own: Any = self  # what other games say in their class
        own.name = PREFIX + kind.short_name
        own.title = f"{kind.long_name} (OpenSpiel)"
        own.min_players, own.max_players = players
        own.options = options_of(self.specification)
        own.joint = kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        own.has_view = draws(kind) or hides(kind)
        own.secret_seed = draws(kind)
        self._position = {
            (False, False): Position,
            (False, True): HidingPosition,
            (True, False): JointPosition,
            (True, True): HidingJointPosition,
        }[self.joint, self.has_view]

    def setup(
        self, players: int, seed: Any = None, options: Mapping[str, Any] | None = None
    ) -> Position:
        """The first decision; chance before it is drawn from the deal, or from the seed.

        Raises:
            InvalidOption: OpenSpiel has no such game; the message says why.
        """
        given = dict(options or {})
        if seed is None:
            seed = NO_DEAL if self.secret_seed else 0
        self.check_setup(players, seed, given)
        chosen = self._model(players, given)
        deal = seed if self.secret_seed else deal_of_seed(seed)
        try:
            position = self._at(root(chosen), deal).settled()
        except RulesFailed as error:
            raise InvalidOption(str(error)) from error
        if not position.choosing:
            raise InvalidOption(f"{self.title} is over at once with these options")
        return position

    def _model(self, players: int, options: Mapping[str, Any]) -> Model:
        values = tuple(sorted(parameters(self.specification, players, options).items()))
        if values and (reason := flaw(self.spiel_name, values)) is not None:
            raise InvalidOption(f"{self.title} cannot be played with these options: {reason}")
        chosen = model(self.spiel_name, values)
        if chosen.players != players:
            raise InvalidOption(
                f"{self.title} has {chosen.players} players with these options, not {players}"
            )
        if chosen.hidden and not self.has_view:
            raise InvalidOption(f"{self.title} hides something with these options")
        return chosen

    def _at(self, node: Node, deal: bytes, gone: tuple[tuple[int, ...], ...] = ()) -> Position:
        return self._position(node, deal, gone, before=None)

    def state_from_json(self, data: object) -> Position:
        """The position of a document: its history is played again and compared.

        Raises:
            InvalidState: it is no position of this game.
        """
        keys = (*KEYS, "deal") if self.secret_seed else KEYS
        document = read_game(data, self.name, keys)
        players = read_integer(document["players"], "players", self.min_players, self.max_players)
        if not isinstance(document["options"], dict):
            raise InvalidState(f"options is an object, not {describe(document['options'])}")
        try:
            self.check_setup(players, NO_DEAL if self.secret_seed else 0, self._options(document))
            chosen = self._model(players, self._options(document))
            position = self._read(document, chosen)
            written = position.to_json()
        except (InvalidOption, RulesFailed) as error:
            raise InvalidState(f"options: {error}") from error
        for key in keys:
            if _text(written[key]) != _text(document[key]):
                raise InvalidState(f"{key} does not fit the history")
        return position

    def _options(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a document: it has the values of all parameters."""
        names = {option.name for option in self.options}
        return {key: value for key, value in document["options"].items() if key in names}

    def _read(self, document: Mapping[str, Any], chosen: Model) -> Position:
        deal: bytes | None = NO_DEAL
        if self.secret_seed:
            deal = deal_from_hex(document["deal"])
        if deal is None:
            raise InvalidState("deal is 64 hexadecimal digits in lower case")
        node = _played_again(chosen, _actions(document["history"], chosen.players))
        gone = self._gone(document["forfeited"], chosen.players)
        position = self._at(node, deal, gone)
        if position.settled().node is not node:
            raise InvalidState("history ends before a decision of a seat that stays")
        return position

    def _gone(self, value: object, players: int) -> tuple[tuple[int, ...], ...]:
        if self.joint:
            return read_groups(value, "forfeited", players)
        return tuple([(seat,) for seat in read_seats(value, "forfeited", players)])

    def board_rows(self, document: Mapping[str, Any]) -> list[str] | None:
        """OpenSpiel's text of the state, or of the seat's observation."""
        text = _shown(document)
        return None if text is None else rows(text)

    def board(self, document: Mapping[str, Any]) -> Board | None:
        """A grid where OpenSpiel's text is one, else its rows."""
        text = _shown(document)
        return None if text is None else board(text)


def _shown(document: Mapping[str, Any]) -> str | None:
    texts = (document.get(key) for key in ("state", "observation", "information"))
    return next((text for text in texts if isinstance(text, str) and text), None)


def _actions(value: object, players: int) -> list[tuple[int, int]]:
    """The seat and the action of each entry of a history."""
    actions = []
    for index, entry in enumerate(read_list(value, "history")):
        path = f"history[{index}]"
        seat, action, name = read_list(entry, path, 3)
        if not isinstance(name, str):
            raise InvalidState(f"{path} is a seat, the number of an action and its name")
        if seat is None:
            seat = CHANCE
        else:
            read_integer(seat, f"{path}[0]", 0, players - 1)
        actions.append((seat, read_integer(action, f"{path}[1]", 0, 2**62)))
    return actions


def _played_again(chosen: Model, actions: list[tuple[int, int]]) -> Node:
    """The node of a history, each of its actions checked.

    Raises:
        InvalidState: an action is not legal in its place.
    """
    known = kept(chosen, actions, SHORTER)
    node = root(chosen) if known is None else known
    while (at := len(node.history)) < len(actions):
        node = node.after(_turn(node, actions, at))
    keep(node)
    return node


def _turn(node: Node, actions: list[tuple[int, int]], at: int) -> list[Played]:
    """The next entries of a history that make one transition, checked."""
    if node.state.is_chance_node():
        seat, action = actions[at]
        likely = [outcome for outcome, chance in node.state.chance_outcomes() if chance > 0.0]
        if seat != CHANCE or action not in likely:
            raise InvalidState(f"history[{at}] is no outcome of chance that is possible there")
        return [Played(CHANCE, action, "")]
    seats = node.seats
    if not seats:
        raise InvalidState(f"history[{at}] comes after the end of the match")
    turn = []
    for place, wanted in enumerate(seats, start=at):
        if place >= len(actions):
            raise InvalidState(f"history[{place}] is missing: all of {list(seats)} choose at once")
        seat, action = actions[place]
        names = {number: name for name, number in node.names(wanted).items()}
        if seat != wanted or action not in names:
            raise InvalidState(f"history[{place}] is no legal action of seat {wanted}")
        turn.append(Played(seat, action, names[action]))
    return turn


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
