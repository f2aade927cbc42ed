"""The conditions that every position of every game must fulfil, tried one by one.

A condition is a function of a :class:`Visit`; it raises :class:`Broken` with a sentence.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from polynya_games.boards import Board
from polynya_games.errors import (
    GameError,
    IllegalForfeit,
    IllegalStep,
    InvalidState,
    InvalidStep,
    NoEncoding,
)
from polynya_games.game import Game, State, Step
from polynya_games.perft import playout
from polynya_games.seats import acting, legal_steps, view
from polynya_games.turns import apply_joint

Errors = type[GameError] | tuple[type[GameError], ...]

SAMPLE = 8
"""Steps that are tried in each position; all where there are no more."""


class Broken(Exception):  # noqa: N818 -- it says what happened to the condition
    """The position does not fulfil the condition; the message says why."""


@dataclass(frozen=True)
class Visit:
    """A position that a random match came to.

    Attributes:
        game: the game.
        options: the options of the set-up.
        seed: the seed of the set-up and of the match.
        index: the number of steps before it.
        state: the position.
        elsewhere: steps that were legal somewhere in the match.
    """

    game: Game
    options: Mapping[str, Any]
    seed: int
    index: int
    state: State
    elsewhere: tuple[Step, ...]

    @property
    def place(self) -> str:
        """Where the position was met, for a sentence."""
        options = f", options {dict(self.options)}" if self.options else ""
        return f"{self.state.players} players{options}, seed {self.seed}, step {self.index}"

    @property
    def generator(self) -> random.Random:
        """A generator for choices in this position, the same each time."""
        return random.Random(self.seed * 1_000_003 + self.index)  # noqa: S311 -- no secret

    def sample(self) -> list[Step]:
        """Some of the legal steps of the seat to move; none in a joint turn."""
        if len(acting(self.state)) > 1:
            return []
        legal = self.state.legal_steps()
        return self.generator.sample(legal, min(SAMPLE, len(legal)))

    def answers(self) -> list[dict[int, Step]]:
        """Some of the legal steps by seat, each time of all seats that choose now."""
        seats, generator = acting(self.state), self.generator
        if len(seats) < 2:
            return [{seats[0]: step} for step in self.sample()]
        legal = {seat: legal_steps(self.state, seat) for seat in seats}
        return [
            {seat: generator.choice(steps) for seat, steps in legal.items()} for _ in range(SAMPLE)
        ]


def require(condition: object, sentence: str) -> None:
    """Raise :class:`Broken` with the sentence unless the condition holds."""
    if not condition:
        raise Broken(sentence)


def refused(errors: Errors, call: Callable[..., object], *arguments: object) -> bool:
    """Whether the call raises one of the errors, with a sentence."""
    try:
        call(*arguments)
    except errors as error:
        return bool(str(error))
    return False


def state_is_json(visit: Visit) -> None:
    """``to_json`` gives plain JSON values that survive ``json``, with the game and the players."""
    document = visit.state.to_json()
    require(is_json(document), "to_json holds a value that is no plain JSON")
    require(json.loads(json.dumps(document)) == document, "json changes the document")
    names = {"game": visit.game.name, "players": visit.state.players}
    for key, value in names.items():
        named = document.get(key, value)
        require(named == value, f"{key} is {named!r} in the document of {value!r}")


def is_json(value: object) -> bool:
    """Whether a value consists of plain JSON values without floats."""
    if isinstance(value, dict):
        return all(type(key) is str and is_json(item) for key, item in value.items())
    if isinstance(value, list):
        return all(is_json(item) for item in value)
    return value is None or type(value) in (bool, int, str)


def state_reads_back(visit: Visit) -> None:
    """A position read back from its document is the same and goes on in the same way."""
    document = visit.state.to_json()
    again = visit.game.state_from_json(json.loads(json.dumps(document)))
    require(again.to_json() == document, "reading its document back gives another document")
    require(acting(again) == acting(visit.state), "read back, other seats choose")
    for seat in acting(again):
        same = legal_steps(again, seat) == legal_steps(visit.state, seat)
        require(same, "read back, other steps are legal")
    require(again.turn_over == visit.state.turn_over, "read back, turn_over differs")
    require(again.outcome == visit.state.outcome, "read back, the outcome differs")
    for step in visit.sample():
        same = again.apply_legal(step).to_json() == visit.state.apply_legal(step).to_json()
        require(same, f"read back, {list(step)} leads elsewhere")
    if len(acting(again)) > 1:
        for answers in visit.answers():
            after = apply_joint(again, answers).to_json()
            same = after == apply_joint(visit.state, answers).to_json()
            require(same, f"read back, {answers} leads elsewhere")


def bad_documents_are_refused(visit: Visit) -> None:
    """A missing or unknown key is refused, or describes another position; so does a wrong value."""
    document = visit.state.to_json()
    read = visit.game.state_from_json
    others: list[object] = [None, [], 7, "state", {}, {**document, "no such key": 1}]
    for bad in others:
        require(refused(InvalidState, read, bad), f"{str(bad)[:60]} is accepted")
    for key in document:
        rest = {other: value for other, value in document.items() if other != key}
        require(
            refused(InvalidState, read, rest) or read(rest).to_json() == rest,
            f"{key} can be missing, and is there when the position is written again",
        )
    for changed in _changed(document, visit.generator):
        try:
            read(changed)
        except InvalidState as error:
            require(str(error), "InvalidState without a sentence")


def _changed(document: dict[str, Any], generator: random.Random) -> Iterator[dict[str, Any]]:
    """Copies of a document with one value, at any depth, replaced by another."""
    values: list[object] = [None, True, -1, 2**70, 1.5, "x", [], [[]], {}, {"": None}]
    for key in document:
        for value in values:
            copy = json.loads(json.dumps(document))
            holder: Any = copy
            place: Any = key
            while generator.random() < 0.7 and isinstance(holder[place], list) and holder[place]:
                holder, place = holder[place], generator.randrange(len(holder[place]))
            holder[place] = value
            yield copy


def legal_steps_are_sorted(visit: Visit) -> None:
    """Legal steps are a sorted list of different tuples, empty exactly when the match is over."""
    seats = acting(visit.state)
    for seat in seats or (None,):
        legal = visit.state.legal_steps() if seat is None else legal_steps(visit.state, seat)
        _legal_is_sorted(legal)
        require(bool(legal) == (visit.state.to_move is not None), "legal steps do not fit to_move")


def _legal_is_sorted(legal: list[Step]) -> None:
    require(type(legal) is list, "legal_steps() is no list")
    for step in legal:
        require(type(step) is tuple and type(step[0]) is str, f"{step} is no tuple with a verb")
        require(all(type(item) in (int, str) for item in step), f"{step} holds another type")
    require(legal == sorted(set(legal)), "legal_steps() is not sorted without duplicates")


def legal_steps_apply(visit: Visit) -> None:
    """Each legal step applies, as a list too, and ``apply`` gives what ``apply_legal`` gives."""
    for step in visit.sample():
        quick = visit.state.apply_legal(step).to_json()
        require(visit.state.apply(step).to_json() == quick, f"apply differs for {list(step)}")
        require(visit.state.apply(list(step)).to_json() == quick, f"{list(step)} as a list differs")
    if len(acting(visit.state)) > 1:
        for answers in visit.answers():
            lists = {seat: list(step) for seat, step in answers.items()}
            same = apply_joint(visit.state, answers).to_json()
            other = apply_joint(visit.state, lists).to_json()
            require(same == other, f"{lists} as lists differs")


def illegal_steps_are_refused(visit: Visit) -> None:
    """Steps that are not legal here, and values that are no steps at all, are refused."""
    state = visit.state
    if len(acting(state)) > 1:
        return  # joint_turns_are_whole tries them
    legal = set(state.legal_steps())
    for value in _malformed(visit.sample()):
        require(
            refused(InvalidStep, state.apply, value), f"{value!r} is not refused with InvalidStep"
        )
    others = [step for step in visit.elsewhere if step not in legal]
    for step in visit.generator.sample(others, min(SAMPLE, len(others))):
        done = refused((IllegalStep, InvalidStep), state.apply, step)
        require(done, f"{list(step)} is not legal and not refused")


def _malformed(steps: list[Step]) -> Iterator[object]:
    malformed: list[object] = [None, 7, "step", b"step", {}, [], [[]], [None], ["no verb"], [2**70]]
    yield from malformed
    for step in steps:
        yield [*step, 0]
        for index, item in enumerate(step[1:], start=1):
            for wrong in (None, [item], float(item) if isinstance(item, int) else 7, True):
                yield [*step[:index], wrong, *step[index + 1 :]]


def positions_are_immutable(visit: Visit) -> None:
    """Nothing that is done with a position changes it."""
    before = visit.state.to_json()
    for step in visit.sample():
        visit.state.apply_legal(step)
    if len(acting(visit.state)) > 1:
        for answers in visit.answers():
            apply_joint(visit.state, answers)
    for seat in _seats_that_can_forfeit(visit.state):
        visit.state.forfeit(seat)
    document = visit.state.to_json()
    document.clear()
    visit.state.legal_steps().clear()
    require(visit.state.to_json() == before, "the position changed")


def forfeits_are_applied(visit: Visit) -> None:
    """Between turns every player still in the match can forfeit; the others play to the end."""
    seats = _seats_that_can_forfeit(visit.state)
    for seat in seats:
        after = visit.state.forfeit(seat)
        listed = after.forfeited == (*visit.state.forfeited, seat)
        require(listed, f"after the forfeit of seat {seat} forfeited is {after.forfeited}")
        require(after.to_move != seat, f"seat {seat} has forfeited and is to move")
        require(after.turn_over, f"after the forfeit of seat {seat} a turn is under way")
        ended = len(after.forfeited) == after.players - 1
        require(not ended or after.to_move is None, "one player is left and the match goes on")
        read = visit.game.state_from_json(after.to_json())
        require(read.to_json() == after.to_json(), f"after the forfeit of seat {seat}: read back")
    if seats:
        leaver = visit.generator.choice(seats)
        state_ends_well(playout(visit.state.forfeit(leaver), visit.generator))


def _seats_that_can_forfeit(state: State) -> list[int]:
    seats = range(state.players)
    return [seat for seat in seats if not refused(IllegalForfeit, state.forfeit, seat)]


def bad_forfeits_are_refused(visit: Visit) -> None:
    """No forfeit in the middle of a turn, after the end, twice, or by a seat that is not there."""
    state = visit.state
    seats: list[Any] = [-1, state.players, 2**70, True, 0.0, "0", None, [0], *state.forfeited]
    if not state.turn_over or state.to_move is None:
        seats += range(state.players)
    for seat in seats:
        require(
            refused(IllegalForfeit, state.forfeit, seat),
            f"a forfeit of seat {seat!r} is not refused",
        )
    if state.to_move is not None and state.turn_over:
        require(state.to_move in _seats_that_can_forfeit(state), "the seat to move cannot forfeit")


def outcome_fits(visit: Visit) -> None:
    """There is an outcome exactly when no seat is to move; its ranking is well formed."""
    require(visit.state.to_move not in visit.state.forfeited, "a forfeiter is to move")
    require(visit.index or visit.state.turn_over, "the match begins in the middle of a turn")
    if visit.state.to_move is None:
        state_ends_well(visit.state)
    else:
        require(visit.state.outcome is None, "there is an outcome, and a seat is to move")


def scores_so_far_fit(visit: Visit) -> None:
    """The scores while a match runs are a number per seat, and become those of the outcome."""
    scores, outcome = visit.game.scores_so_far(visit.state), visit.state.outcome
    if scores is not None:
        require(len(scores) == visit.state.players, f"scores_so_far has {len(scores)} numbers")
        require(all(type(score) is int for score in scores), f"scores_so_far is {scores}")
    if outcome is not None:
        require(scores == outcome.scores, f"scores_so_far is {scores} at the end")


def encoding_fits(visit: Visit) -> None:
    """If the game has an encoding, each legal step has an action and each number its range."""
    state = visit.state
    try:
        encoding = visit.game.encoding(state.players, visit.options)
    except NoEncoding:
        return
    for seat in range(state.players):
        legal = legal_steps(state, seat)
        missing = [list(step) for step in legal if step not in encoding.actions]
        require(not missing, f"no action is the legal step {missing[:1]}")
        document = view(state, seat)
        for part in encoding.parts:
            numbers = list(part.read(document, seat))
            require(len(numbers) == part.size, f"{part.name} has {len(numbers)} numbers")
            fits = all(type(number) is int and 0 <= number <= part.high for number in numbers)
            require(fits, f"{part.name} is not of integers from 0 to {part.high}")


def boards_fit(visit: Visit) -> None:
    """The board can be shown, as text and on pages, for the whole state and for each view."""
    for seat in (None, *range(visit.state.players)):
        for document in (visit.state.to_json(), view(visit.state, seat)):
            before = json.dumps(document)
            rows = visit.game.board_rows(document)
            if rows is not None:
                fits = type(rows) is list and all(_is_row(row) for row in rows)
                require(fits, "board_rows is no list of rows of printable text")
            board = visit.game.board(document)
            fits = board is None or isinstance(board, Board)
            require(fits, "board gives no Rows, Grid or Drawing")
            require(json.dumps(document) == before, "the board changes the document")


def _is_row(row: object) -> bool:
    return type(row) is str and row.isprintable()


def state_ends_well(state: State) -> None:
    """A finished match has ranks that skip after ties, forfeiters last, and a score per seat."""
    outcome = state.outcome
    if outcome is None:
        raise Broken("the match is over and has no outcome")
    require(state.turn_over and not state.legal_steps(), "the match is over and a turn is not")
    ranks = outcome.ranking
    wanted = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
    require(len(ranks) == state.players and ranks == wanted, f"the ranking is {ranks}")
    stayed = [rank for seat, rank in enumerate(ranks) if seat not in state.forfeited]
    left = [ranks[seat] for seat in reversed(state.forfeited)]
    require([*sorted(stayed), *left] == sorted(ranks), f"forfeiters' ranks are {left}")
    scores = outcome.scores
    require(all(type(score) is int for score in scores), f"the scores are {scores}")
    require(len(scores) == state.players, f"there are {len(scores)} scores")
