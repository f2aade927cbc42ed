"""Histories and OpenSpiel's states after them, kept so that none is computed twice in a row.

A state of OpenSpiel can change; a node's never does after it was made: an action is applied to a
copy.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from polynya_foreign.openspiel.model import Model
from polynya_foreign.openspiel.names import action_names, printed
from polynya_foreign.openspiel.trial import FAULTS

CHANCE: Final = -1
"""OpenSpiel's number of the player who is chance."""

MOST_KEPT: Final = 2_000
"""The number of nodes that are kept for documents to come."""


class Played(NamedTuple):
    """One action of a history.

    Attributes:
        seat: who chose it; ``CHANCE`` for chance.
        action: OpenSpiel's number of it.
        name: its name.
    """

    seat: int
    action: int
    name: str


class Node:
    """A history, and OpenSpiel's state after it.

    Attributes:
        model: the game.
        history: all actions so far.
        drawn: how many of them chance chose.
    """

    __slots__ = ("_names", "_text", "drawn", "history", "model", "state")

    def __init__(self, model: Model, state: Any, history: tuple[Played, ...], drawn: int) -> None:
        self.model = model
        self.state = state
        self.history = history
        self.drawn = drawn
        self._names: dict[int, Mapping[str, int]] = {}
        self._text: str | None = None

    @property
    def text(self) -> str:
        """OpenSpiel's text of the whole state."""
        if self._text is None:
            self._text = str(self.state)
        return self._text

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that choose now, whether they have forfeited or not; none at chance's turn."""
        state = self.state
        if state.is_terminal() or state.is_chance_node():
            return ()
        if not state.is_simultaneous_node():
            return (state.current_player(),)
        return tuple([seat for seat in range(self.model.players) if state.legal_actions(seat)])

    def names(self, seat: int) -> Mapping[str, int]:
        """The legal actions of a seat that chooses, by name."""
        names = self._names.get(seat)
        if names is None:
            try:
                names = self._names[seat] = action_names(self.state, seat)
            except FAULTS as error:
                raise self.model.failed(error, f"names of seat {seat}") from error
        return names

    def first(self, seat: int) -> Played:
        """The first legal action of a seat: the one with the least number."""
        name, action = min(self.names(seat).items(), key=lambda item: item[1])
        return Played(seat, action, name)

    def chance(self, value: int) -> Node:
        """The node after chance has chosen.

        The outcomes stand in OpenSpiel's order; the one is chosen in which the sum of their
        probabilities exceeds ``value / 2**64``.

        Args:
            value: 0 to 2**64 - 1.
        """
        share, total = value / 2**64, 0.0
        outcomes = [each for each in self.state.chance_outcomes() if each[1] > 0.0]
        chosen = outcomes[-1][0]
        for action, probability in outcomes:
            total += probability
            if share < total:
                chosen = action
                break
        return self.after([Played(CHANCE, chosen, "")])

    def after(self, played: Sequence[Played]) -> Node:
        """The node after legal actions: one, or in a simultaneous node that of each acting seat.

        Raises:
            RulesFailed: OpenSpiel refuses them.
        """
        state = self.state.clone()
        try:
            if played[0].seat == CHANCE:
                action = played[0].action
                played = [Played(CHANCE, action, printed(state.action_to_string(CHANCE, action)))]
                state.apply_action(action)
            elif state.is_simultaneous_node():
                actions = {each.seat: each.action for each in played}
                state.apply_actions([actions.get(seat, 0) for seat in range(self.model.players)])
            else:
                state.apply_action(played[0].action)
        except FAULTS as error:
            raise self.model.failed(error, repr([tuple(each) for each in played])) from error
        drawn = self.drawn + (played[0].seat == CHANCE)
        return Node(self.model, state, (*self.history, *played), drawn)

    def scores(self) -> tuple[int, ...]:
        """The scores so far, at the end those of the match."""
        try:
            return self.model.scores(self.state.returns())
        except FAULTS:  # some games have returns at the end only
            return (0,) * self.model.players


_Key = tuple[str, tuple[tuple[str, Any], ...], tuple[tuple[int, int], ...]]


class _Kept:
    """The nodes used last, by game, parameters and history; for several threads."""

    def __init__(self) -> None:
        self._nodes: OrderedDict[_Key, Node] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: _Key) -> Node | None:
        with self._lock:
            node = self._nodes.get(key)
            if node is not None:
                self._nodes.move_to_end(key)
            return node

    def put(self, key: _Key, node: Node) -> None:
        with self._lock:
            self._nodes[key] = node
            self._nodes.move_to_end(key)
            while len(self._nodes) > MOST_KEPT:
                self._nodes.popitem(last=False)


_KEPT = _Kept()


def root(model: Model) -> Node:
    """The node of the empty history."""
    return Node(model, model.game.new_initial_state(), (), 0)


def keep(node: Node) -> None:
    """Keep a node for a document of its position."""
    _KEPT.put(_key(node.model, [(each.seat, each.action) for each in node.history]), node)


def kept(model: Model, actions: Sequence[tuple[int, int]], shorter: int) -> Node | None:
    """The kept node of a history, or of a history that lacks the last few actions; None if none is.

    Args:
        model: the game.
        actions: the seat and the action of each entry.
        shorter: how many actions fewer it may have.
    """
    least = max(0, len(actions) - shorter)
    for length in range(len(actions), least - 1, -1):
        node = _KEPT.get(_key(model, actions[:length]))
        if node is not None:
            return node
    return None


def _key(model: Model, actions: Iterable[tuple[int, int]]) -> _Key:
    return model.name, tuple(model.options.items()), tuple(actions)
