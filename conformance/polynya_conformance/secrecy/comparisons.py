"""Pairs of runs of one position whose frames must be equal, and the first difference between them.

Each comparison is a function of a position; it raises :class:`Broken` with a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from polynya_conformance.secrecy.observed_match import Heard, Run, observed
from polynya_conformance.secrecy.observer import decoded
from polynya_conformance.secrecy.script import (
    Action,
    Answer,
    Ask,
    Begin,
    Resign,
    Return,
    Script,
    Wait,
)
from polynya_games import GameError, State, Step
from polynya_games.checks.conditions import Broken, Visit
from polynya_games.seats import Audience, acting, guess, legal_steps, seen, view
from polynya_games.turns import play_turn

PAUSE_MS = 7
NO_STEP: tuple[str] = ("no such verb",)
TRIED_STEPS = 4
"""Steps of elsewhere in the match that each seat asks about, in each position."""

Answers = Mapping[int, Step]
After = Callable[[State], "State | None"]


def frames_tell_nothing_hidden(visit: Visit) -> None:
    """A seat receives the same frames in a position and in a guess of it.

    So it does in the transition, if its view and what it has seen agree again after it.
    """
    state = visit.state
    played = visit.answers()[0]
    plans: list[tuple[Script, After]] = [
        (_looking(visit, played), lambda of: _after(of, played, ()))
    ]
    leaver = visit.generator.choice(acting(state))
    bad = [step for step in visit.elsewhere if step not in legal_steps(state, leaver)]
    faulty = {**played, leaver: (bad or [NO_STEP])[0]}
    plans.append(([Begin(), *_answers(faulty)], lambda of: _after_fault(of, faulty, leaver)))
    for script, after in plans:
        known = observed(visit.game, Run(state, script, _info(state, "a remark")))
        for audience in (*range(state.players), None):
            other = guess(state, audience, visit.index)
            if other is None:
                continue
            info = {**_info(state, "another remark"), **_own(audience, "a remark")}
            frames = observed(visit.game, Run(other, script, info, deal=1))
            until = None if _agree(audience, after(state), after(other)) else _last(script)
            _require_equal(audience, script, known[audience], frames[audience], until)


def frames_do_not_depend_on_order(visit: Visit) -> None:
    """The order in which the answers of a joint turn arrive changes no frame of any client."""
    state = visit.state
    answers = visit.answers()[0]
    if len(answers) < 2:
        return
    faulty = {**answers, visit.generator.choice(list(answers)): NO_STEP}
    for chosen in (answers, faulty):
        first = _answers(chosen)
        known = observed(visit.game, Run(state, [Begin(), *first], _info(state, "a remark")))
        for order in {tuple(first[::-1]), (*first[1:], first[0])}:
            info = _info(state, "another remark")
            frames = observed(visit.game, Run(state, [Begin(), *order], info))
            for audience in known:
                one, other = _bytes(known[audience]), _bytes(frames[audience])
                if one != other:
                    said = _difference(one, other)
                    when = " then ".join(map(str, order))
                    raise Broken(f"{_whose(audience)} receives other frames if {when}: {said}")


def frames_tell_no_answer_early(visit: Visit) -> None:
    """Before all have answered a joint turn, no frame says whether another seat has answered."""
    state = visit.state
    answers = visit.answers()[0]
    if len(answers) < 2:
        return
    for audience in (*range(state.players), None):
        silent = audience if audience in answers else max(answers)
        script: list[Action] = [Begin()]
        silence: list[Action] = [Begin()]
        for action in _others(visit, answers, silent):
            script += [action, Wait(PAUSE_MS)]
            silence += [Wait(0), Wait(PAUSE_MS)]
        look = [Return(() if audience is None else (audience,))]
        known = observed(visit.game, Run(state, [*silence, *look], {}))
        frames = observed(visit.game, Run(state, [*script, *look], _info(state, "a remark")))
        _require_equal(audience, [*script, *look], known[audience], frames[audience], None)


def _others(visit: Visit, answers: Answers, silent: int) -> list[Action]:
    """The actions of all acting seats but one in a joint turn; one of them may have a fault."""
    others = [seat for seat in answers if seat != silent]
    kind = visit.index % 3
    actions: list[Action] = []
    for seat in others:
        is_last = seat == others[-1]
        if is_last and kind == 1:
            actions.append(Answer(seat, NO_STEP))
        elif is_last and kind == 2 and visit.state.forfeit(seat).to_move is not None:
            actions.append(Resign(seat))
        else:
            actions.append(Answer(seat, answers[seat]))
    return actions


def _looking(visit: Visit, answers: Answers) -> Script:
    """All ask and look at the position, then answer, then look again."""
    state = visit.state
    questions: dict[int, list[list[Step]]] = {}
    for seat in acting(state):
        legal = legal_steps(state, seat)
        bad = [step for step in visit.elsewhere if step not in legal][:TRIED_STEPS]
        questions[seat] = [[], *([step] for step in (legal[0], NO_STEP, *bad))]
    all_return = Return(tuple(range(state.players)))
    return [Begin(), Ask(questions), Wait(PAUSE_MS), all_return, *_answers(answers), all_return]


def _answers(answers: Answers) -> list[Action]:
    return [Answer(seat, step) for seat, step in answers.items()]


def _last(script: Script) -> int:
    """The number of the last answer: with it the position ends."""
    return max(number for number, action in enumerate(script) if isinstance(action, Answer))


def _info(state: State, text: str) -> dict[int, str]:
    return dict.fromkeys(range(state.players), text)


def _own(audience: Audience, text: str) -> dict[int, str]:
    return {} if audience is None else {audience: text}


def _after(state: State, answers: Answers, leaving: Sequence[int]) -> State | None:
    """The position after a turn in which seats leave; None if an answer is refused."""
    try:
        return play_turn(state, {seat: [step] for seat, step in answers.items()}, leaving)
    except GameError:
        return None


def _after_fault(state: State, answers: Answers, leaver: int) -> State | None:
    """The position after a turn in which one seat's step is illegal; None if it is legal here."""
    if answers[leaver] in legal_steps(state, leaver):
        return None
    rest = {seat: step for seat, step in answers.items() if seat != leaver}
    return _after(state, rest, (leaver,))


def _agree(audience: Audience, one: State | None, other: State | None) -> bool:
    """Whether a seat may know no difference between two positions and the ways to them."""
    if one is None or other is None:
        return False
    return all(
        json.dumps(of(one, audience)) == json.dumps(of(other, audience)) for of in (view, seen)
    )


def _require_equal(
    audience: Audience, script: Script, one: Heard, other: Heard, until: int | None
) -> None:
    """The frames that follow each action are the same, up to ``until`` (not included)."""
    for number in range(len(script) if until is None else until):
        first, second = _bytes(one, number), _bytes(other, number)
        if first != second:
            said = _difference(first, second)
            raise Broken(f"{_whose(audience)} receives other frames when {script[number]}: {said}")


def _bytes(heard: Heard, number: int | None = None) -> list[bytes]:
    return [frame for each, frame in heard if number in (each, None)]


def _whose(audience: Audience) -> str:
    return "a spectator" if audience is None else f"seat {audience}"


def _difference(one: Sequence[bytes], other: Sequence[bytes]) -> str:
    """The first frames that differ, with the keys in which they do."""
    for first, second in zip(one, other, strict=False):
        if first != second:
            return _differing_keys(decoded(first), decoded(second))
    longer = max(one, other, key=len)
    return f"{decoded(longer[min(len(one), len(other))])['type']} comes once only"


def _differing_keys(one: Mapping[str, object], other: Mapping[str, object]) -> str:
    if one["type"] != other["type"]:
        return f"{one['type']}, or {other['type']}"
    keys: Iterable[str] = dict.fromkeys([*one, *other])
    differing = [key for key in keys if one.get(key) != other.get(key)]
    if not differing:
        return f"{one['type']} in another encoding"
    key = differing[0]
    first, second = (json.dumps(each.get(key), default=str)[:300] for each in (one, other))
    return f"{one['type']}.{key} is {first}, or {second}"
