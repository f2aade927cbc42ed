"""Other histories that look the same to a seat: for checks that nothing leaks, and for sampling."""

from __future__ import annotations

from typing import Any, Final

from polynya_foreign.openspiel.nodes import CHANCE, Node, Played, root
from polynya_foreign.openspiel.trial import FAULTS
from polynya_games import RulesFailed
from polynya_games.randomness import SplitMix64

MOST_TRIED: Final = 600
"""Transitions that are tried for one guess, besides one for each entry of the history."""
CANDIDATES: Final = 40
"""Tries for each transition, before all is tried anew from the beginning."""


def other_history(node: Node, seat: int | None, seed: int) -> Node | None:
    """A random history that looks the same to a seat at each of its moments; None if none is found.

    The same seats choose in it in the same order, and the seat itself chooses the same.

    Args:
        node: the true history.
        seat: the seat; None for the spectators, who see only the seats that chose.
        seed: decides the choices.
    """
    wanted = _moments(node, seat)
    generator = SplitMix64(seed)
    left = MOST_TRIED + len(node.history)
    while left > 0:
        found: Node | None = root(node.model)
        while found is not None and len(found.history) < len(node.history):
            found, tried = _next(found, node.history, seat, wanted, generator)
            left -= tried
        if found is not None and found.seats == node.seats:
            return found
        left -= 1
    return None


def _moments(node: Node, seat: int | None) -> dict[int, Any]:
    """By length of the history: the seat's knowledge then."""
    at = root(node.model)
    moments = {}
    while len(at.history) < len(node.history):
        at = at.after(_group(at, node.history))
        moments[len(at.history)] = knowledge(at, seat)
    return moments


def _group(at: Node, history: tuple[Played, ...]) -> list[Played]:
    """The entries of a history that follow a node in one transition."""
    start = len(at.history)
    return list(history[start : start + max(1, len(at.seats))])


def _next(
    at: Node,
    history: tuple[Played, ...],
    seat: int | None,
    wanted: dict[int, Any],
    generator: SplitMix64,
) -> tuple[Node | None, int]:
    """A random transition after which the seat knows the same as in the true history.

    Returns:
        The node after it, None if none was found; and how many transitions were tried.
    """
    true = _group(at, history)
    if (true[0].seat == CHANCE) != at.state.is_chance_node():
        return None, 1
    if true[0].seat != CHANCE and tuple(each.seat for each in true) != at.seats:
        return None, 1
    for tried in range(1, CANDIDATES + 1):
        try:
            after = _tried(at, true, seat, generator)
        except RulesFailed:
            return None, tried
        if after is None:
            return None, tried
        if knowledge(after, seat) == wanted[len(after.history)]:
            return after, tried
    return None, CANDIDATES


def _tried(at: Node, true: list[Played], seat: int | None, generator: SplitMix64) -> Node | None:
    if true[0].seat == CHANCE:
        return at.chance(generator.next())
    chosen = []
    for each in true:
        names = at.names(each.seat)
        if each.seat == seat:
            if names.get(each.name) != each.action:
                return None
            chosen.append(each)
        else:
            name = sorted(names)[generator.below(len(names))]
            chosen.append(Played(each.seat, names[name], name))
    return at.after(chosen)


def knowledge(node: Node, seat: int | None) -> tuple[str | None, str | None]:
    """OpenSpiel's observation and information state of a seat, None where it has none.

    The spectators, seat None, have neither.
    """
    if seat is None:
        return None, None
    return (
        _text(node.state.observation_string, seat, node.model.has_observation),
        _text(node.state.information_state_string, seat, node.model.has_information),
    )


def _text(ask: Any, seat: int, has: bool) -> str | None:
    if not has:
        return None
    try:
        text: str = ask(seat)
    except FAULTS:  # some games have it at decisions only
        return None
    return text
