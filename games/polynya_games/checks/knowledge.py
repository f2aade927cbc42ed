"""Whether a game with hidden parts or joint turns tells a seat no more than it may know.

The checks compare a position with guesses of it: positions that agree in all that one seat knows.
A difference between them that reaches the seat is a leak.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from polynya_games.chance import Chance
from polynya_games.checks.conditions import Broken, Visit, is_json, require
from polynya_games.errors import GameError
from polynya_games.game import State
from polynya_games.seats import (
    Audience,
    acting,
    concealed,
    guess,
    has_joint_turns,
    legal_steps,
    seen,
    view,
)
from polynya_games.turns import apply_joint

GUESSES = 3
"""Guesses that each position is compared with, for each seat and the spectators."""


def declarations_fit(visit: Visit) -> None:
    """``joint`` and ``has_view`` of the game say what its states have."""
    game, state = visit.game, visit.state
    require(game.joint == has_joint_turns(state), f"joint is {game.joint}, apply_joint is not so")
    require(game.has_view == hasattr(state, "view"), f"has_view is {game.has_view}, view is not so")
    seats = acting(state)
    require(list(seats) == sorted(set(seats)), f"acting is {seats}")
    require(state.to_move == min(seats, default=None), f"to_move is {state.to_move}, not the least")
    require(not set(seats) & set(state.forfeited), "a forfeiter acts")


def knowledge_is_json(visit: Visit) -> None:
    """Views and what is learnt are plain JSON; no seat is told that its own step is concealed."""
    for seat in _audiences(visit.state):
        require(is_json(view(visit.state, seat)), f"view({seat}) holds a value that is no JSON")
        require(is_json(seen(visit.state, seat)), f"seen({seat}) holds a value that is no JSON")
        hidden = concealed(visit.state, seat)
        require(seat not in hidden, f"concealed({seat}) names the seat itself")


def guesses_agree(visit: Visit) -> None:
    """A guess has the same view, seen and concealed for the seat that it was made for."""
    for seat, guessed in _guesses(visit):
        for name, of in (("view", view), ("seen", seen), ("concealed", concealed)):
            known, other = _text(of(visit.state, seat)), _text(of(guessed, seat))
            require(known == other, f"seat {seat} learns by {name} what is hidden: {known[:300]}")


def nothing_leaks(visit: Visit) -> None:
    """A seat is told the same in every position that agrees with its knowledge."""
    state = visit.state
    for seat, guessed in _guesses(visit):
        _same_told(visit, seat, state, guessed, "")
        for answers in visit.answers():
            one, other = _after(state, answers), _after(guessed, answers)
            if other is None or one is None:
                continue
            _same_told_afterwards(visit, seat, one, other, f" after {_text(answers)}")


def _same_told_afterwards(
    visit: Visit, seat: Audience, one: State, other: State, when: str
) -> None:
    """If two positions agree in view and seen after the same steps, they agree in all else."""
    known = (view(one, seat), seen(one, seat)) == (view(other, seat), seen(other, seat))
    if known:
        hidden = concealed(one, seat) == concealed(other, seat)
        require(hidden, f"seat {seat} learns by concealed what is hidden{when}")
        _same_told(visit, seat, one, other, when)
    elif not one.turn_over:
        raise Broken(f"seat {seat} learns something{when}, and its turn goes on: it could peek")


def _same_told(visit: Visit, seat: Audience, one: State, other: State, when: str) -> None:
    whose = "the spectators" if seat is None else f"seat {seat}"
    require(acting(one) == acting(other), f"who acts tells {whose} what is hidden{when}")
    require(one.turn_over == other.turn_over, f"turn_over tells {whose} what is hidden{when}")
    if seat is None:
        scores = visit.game.scores_so_far(one) == visit.game.scores_so_far(other)
        require(scores or not acting(one), f"scores_so_far tell spectators what is hidden{when}")
        return
    legal = legal_steps(one, seat) == legal_steps(other, seat)
    require(legal, f"the legal steps tell {whose} what is hidden{when}")
    if seat in acting(one):
        for bad in _bad_steps(visit):
            said = _refusal(one, seat, bad), _refusal(other, seat, bad)
            require(said[0] == said[1], f"a refusal tells {whose} what is hidden{when}: {said}")


def turns_end_with_chance(visit: Visit) -> None:
    """A step that draws from the deal ends the turn: so no bot can try it and look."""
    for answers in visit.answers():
        with _counted_draws() as draws:
            after = _after(visit.state, answers)
        goes_on = after is not None and not after.turn_over
        require(not (draws and goes_on), f"{_text(answers)} draws, and the turn goes on")
    with _counted_draws() as draws:
        for seat in _audiences(visit.state):
            view(visit.state, seat)
            seen(visit.state, seat)
        for seat in acting(visit.state):
            legal_steps(visit.state, seat)
    require(not draws, "view, seen or legal_steps draws from the deal")


def answers_come_in_any_order(visit: Visit) -> None:
    """The order of the answers of a joint turn, and of those that leave, changes nothing."""
    state = visit.state
    if len(acting(state)) < 2:
        return
    for answers in visit.answers():
        turned = dict(reversed(answers.items()))
        same = _json(apply_joint(state, answers)) == _json(apply_joint(state, turned))
        require(same, f"another order of {_text(answers)} leads elsewhere")
        _leaving(state, answers)


def _leaving(state: State, answers: dict[int, Any]) -> None:
    """Each number of acting seats can leave in one turn, and those that leave are out."""
    for count in range(1, len(answers) + 1):
        leaving = tuple(answers)[:count]
        rest = {seat: step for seat, step in answers.items() if seat not in leaving}
        after = apply_joint(state, rest, leaving)
        same = _json(after) == _json(apply_joint(state, rest, leaving[::-1]))
        require(same, f"another order of those that leave, {leaving}, leads elsewhere")
        gone = set(after.forfeited) == {*state.forfeited, *leaving}
        require(gone, f"after {leaving} have left, forfeited is {after.forfeited}")
        outcome = after.outcome
        ranks = [] if outcome is None else [outcome.ranking[seat] for seat in leaving]
        require(len(set(ranks)) < 2, f"{leaving} left together and rank {ranks}")


def joint_turns_are_whole(visit: Visit) -> None:
    """A joint turn in which an answer is missing, is too many or is wrong is refused."""
    state, seats = visit.state, acting(visit.state)
    if len(seats) < 2:
        return
    for answers in visit.answers():
        others: list[dict[int, Any]] = [{**answers, state.players: answers[seats[0]]}]
        others += [{**answers, seat: bad} for seat in seats for bad in _bad_steps(visit)]
        if len(seats) > 2:  # else those that are missing may have ended the match
            others += [{s: step for s, step in answers.items() if s != seat} for seat in seats]
        for wrong in others:
            after = _after(state, wrong)
            require(after is None, f"the turn {_text(wrong)} is not refused")


def _bad_steps(visit: Visit) -> list[object]:
    """Values that are no steps, and steps of this match that are legal for no seat now."""
    legal = {step for seat in acting(visit.state) for step in legal_steps(visit.state, seat)}
    elsewhere = [list(step) for step in visit.elsewhere if step not in legal][:5]
    return [None, [], ["no such verb"], [7], *elsewhere]


def _refusal(state: Any, seat: int, step: object) -> tuple[str, str]:
    """The class and the sentence with which a step of a seat is refused."""
    try:
        if len(acting(state)) < 2:
            state.apply(step)
        elif hasattr(state, "checked_step"):
            state.checked_step(seat, step)
        else:
            rest = {other: legal_steps(state, other)[0] for other in acting(state)}
            state.apply_joint({**rest, seat: step})
    except GameError as error:
        return type(error).__name__, f"{error} {_text(error.fields)}"
    return "", ""


def _after(state: State, answers: dict[int, Any]) -> State | None:
    """The position after a step, or a joint turn; None if it is refused."""
    try:
        if len(acting(state)) > 1:
            return apply_joint(state, answers)
        (step,) = answers.values()
        return state.apply(step)
    except GameError:
        return None


def _guesses(visit: Visit) -> Iterator[tuple[Audience, State]]:
    for seat in _audiences(visit.state):
        for seed in range(GUESSES):
            guessed = guess(visit.state, seat, visit.index * GUESSES + seed)
            if guessed is not None:
                yield seat, guessed


def _audiences(state: State) -> list[Audience]:
    return [*range(state.players), None]


def _text(value: object) -> str:
    """A value as it would stand in a frame: the order of keys counts."""
    return json.dumps(value, default=str)


def _json(state: State) -> str:
    return _text(state.to_json())


@contextmanager
def _counted_draws() -> Iterator[list[int]]:
    """A list that has an entry for each value drawn within the block."""
    draws: list[int] = []
    original = Chance.next

    def counting(chance: Chance) -> int:
        draws.append(chance.drawn)
        return original(chance)

    with patch.object(Chance, "next", counting):
        yield draws
