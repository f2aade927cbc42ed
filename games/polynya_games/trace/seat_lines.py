"""Lines of the trace of a game with joint turns or hidden parts: the truth, and what each may know.

Source: rules, "trace", "Games with joint turns or hidden parts".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from polynya_games.errors import GameError, IllegalForfeit, IllegalStep, describe
from polynya_games.game import State
from polynya_games.refusals import COMMON, refusal
from polynya_games.seats import acting, concealed, has_joint_turns, legal_steps, seen, view
from polynya_games.turns import apply_joint

AnyState = TypeVar("AnyState", bound=State)


def position(state: State, *, turn_over: bool) -> dict[str, Any]:
    """The document of an answer.

    Args:
        state: the position.
        turn_over: whether a turn ended with it.
    """
    readers = {str(seat): seat for seat in range(state.players)} | {"none": None}
    learnt = {name: seen(state, seat) for name, seat in readers.items()}
    hidden = {name: list(concealed(state, seat)) for name, seat in readers.items()}
    document: dict[str, Any] = {
        "state": state.to_json(),
        "acting": list(acting(state)),
        "legal": {str(seat): legal_steps(state, seat) for seat in acting(state)},
        "views": {name: view(state, seat) for name, seat in readers.items()},
        "seen": {name: documents for name, documents in learnt.items() if documents},
        "concealed": {name: seats for name, seats in hidden.items() if seats},
        "turn_over": turn_over,
    }
    if (outcome := state.outcome) is not None:
        document |= {"ranking": outcome.ranking, "scores": outcome.scores}
    return document


def answered(state: AnyState, document: object) -> tuple[AnyState, bool]:
    """The position after an input line, and whether a turn is over with it.

    Raises:
        GameError: the line has another form, or the position does not allow it.
    """
    keys = sorted(document) if isinstance(document, dict) else []
    if isinstance(document, dict):
        if keys == ["step"]:
            return _step(state, document["step"])
        if keys == ["forfeit"]:
            return _forfeit(state, document["forfeit"]), True
        if keys in (["steps"], ["forfeit", "steps"]):
            return _turn(state, document["steps"], document.get("forfeit", []))
    raise GameError(
        'a line is {"steps": {"seat": [verb, …], …}, "forfeit": [seats]}, '
        f'{{"step": [verb, …]}} or {{"forfeit": seat}}, not {describe(document)}'
    )


def _step(state: AnyState, step: object) -> tuple[AnyState, bool]:
    if len(acting(state)) > 1:
        raise IllegalStep('several seats choose now: their steps are {"steps": {"seat": step, …}}')
    after = state.apply(step)
    return after, after.turn_over


def _forfeit(state: AnyState, seat: Any) -> AnyState:
    """One forfeit outside a joint turn: by a seat that does not act, or the end of the match."""
    if not state.turn_over:
        raise refusal(IllegalForfeit, COMMON, "forfeit_within_turn")
    seats = acting(state)
    after = state.forfeit(seat)
    if len(seats) > 1 and seat in seats and acting(after):
        raise IllegalForfeit(
            f"seat {seat} chooses now, and the match goes on: its forfeit stands in one line with "
            "the steps of the others"
        )
    return after


def _turn(state: AnyState, steps: object, forfeit: object) -> tuple[AnyState, bool]:
    given, leaving = _read(state, steps, forfeit)
    seats = acting(state)
    _check_places(seats, given, leaving)
    if has_joint_turns(state) and len(seats) > 1:
        return apply_joint(state, given, sorted(leaving)), True
    if given and leaving:
        raise refusal(IllegalForfeit, COMMON, "forfeit_within_turn")
    if given:
        return _step(state, given[seats[0]])
    for seat in leaving:
        state = _forfeit(state, seat)
    return state, True


def _check_places(seats: tuple[int, ...], given: Collection[int], leaving: Collection[int]) -> None:
    """Each acting seat has either a step or left, and no other has a step."""
    if not seats:
        raise refusal(GameError, COMMON, "match_over")
    for seat in seats:
        if seat in given and seat in leaving:
            raise IllegalStep(f"seat {seat} has a step and leaves")
        if seat not in given and seat not in leaving:
            raise refusal(IllegalStep, COMMON, "no_answer", seat=seat)
    for seat in given:
        if seat not in seats:
            among = ", ".join(map(str, seats))
            raise refusal(IllegalStep, COMMON, "not_acting", seat=seat, acting=among)


def _read(state: State, steps: object, forfeit: object) -> tuple[dict[int, Any], list[int]]:
    """The steps by seat and the seats that leave, checked in their form only."""
    if not isinstance(steps, dict):
        raise GameError(f'steps is an object of steps by seat, {{"0": …}}, not {describe(steps)}')
    names = {str(seat): seat for seat in range(state.players)}
    for name in steps:
        if name not in names:
            raise GameError(f"a key of steps is a seat, one of {describe([*names])}, not {name!r}")
    if not isinstance(forfeit, list):
        raise GameError(f"forfeit is a list of seats, not {describe(forfeit)}")
    for index, seat in enumerate(forfeit):
        if type(seat) is not int or seat not in range(state.players):
            last = state.players - 1
            raise refusal(IllegalForfeit, COMMON, "no_seat", last=last, seat=describe(seat))
        if seat in forfeit[:index]:
            raise IllegalForfeit(f"seat {seat} is in forfeit twice")
    return {names[name]: step for name, step in steps.items()}, forfeit
