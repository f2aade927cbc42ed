"""Reads the answers of a rules process: every value is checked before anything uses it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

from polynya_games import Outcome, Step, Termination

MOST_LINE: Final = 4 * 1024 * 1024
"""The greatest length of an answer in bytes."""

MOST_DEPTH: Final = 32
MOST_LEGAL: Final = 100_000
MOST_PARTS: Final = 32
MOST_WORD: Final = 1_000
MOST_BOARD: Final = 128 * 1024
"""The greatest size of a board in JSON; whether pages can show it is seen when they do."""

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Seat = Annotated[int, msgspec.Meta(ge=0, le=15)]
Document = dict[str, Any]


class WrongAnswer(Exception):  # noqa: N818 -- it says what happened to the answer
    """An answer that cannot be used; the message says why."""


class OutcomeAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key ``outcome`` of an answer."""

    termination: str
    ranking: tuple[Int64, ...]
    scores: tuple[Int64, ...]


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer: a whole position, or ``error``."""

    id: int
    document: Document | None = None
    acting: tuple[Seat, ...] = ()
    turn_over: bool = True
    legal: dict[str, list[tuple[str | Int64, ...]]] = {}
    views: dict[str, Document] = {}
    seen: dict[str, list[Document]] = {}
    concealed: dict[str, tuple[Seat, ...]] = {}
    board: Document | None = None
    boards: dict[str, Document] = {}
    scores: tuple[Int64, ...] | None = None
    outcome: OutcomeAnswer | None = None
    staying: tuple[Seat, ...] | None = None
    error: str | None = None


_DECODER = msgspec.json.Decoder(Answer)
_ENCODER = msgspec.json.Encoder(order="sorted")
_ENDS: Final = {each.value: each for each in Termination if each is not Termination.FORFEIT}


class Facts(msgspec.Struct, frozen=True):
    """All that a rules process said of a position, checked.

    Attributes:
        document: the position's document.
        text: the same in canonical JSON.
        acting: the seats that choose now, ascending.
        turn_over: whether no turn is under way.
        legal: the legal steps of each acting seat, sorted.
        views, seen, concealed: by seat, ``None`` for the spectators.
        board: the board of the whole position; None for none.
        boards: that of each view, by seat, ``None`` for the spectators.
        scores: the scores so far; None if nothing is known.
        outcome: how the match ended; None while it goes on.
        staying: the seats that can still forfeit; None for all that have not.
    """

    document: Document
    text: bytes
    acting: tuple[int, ...]
    turn_over: bool
    legal: Mapping[int, list[Step]]
    views: Mapping[int | None, Document]
    seen: Mapping[int | None, list[Document]]
    concealed: Mapping[int | None, tuple[int, ...]]
    board: Document | None
    boards: Mapping[int | None, Document]
    scores: tuple[int, ...] | None
    outcome: Outcome | None
    staying: tuple[int, ...] | None


def canonical(value: object) -> bytes:
    """A JSON value as text with sorted keys: equal values have equal texts."""
    return _ENCODER.encode(value)


def decode(line: bytes) -> Answer:
    """An answer of the right form.

    Raises:
        WrongAnswer: the line is no answer; the message says why.
    """
    try:
        answer = _DECODER.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise WrongAnswer(f"the line is no answer: {error}") from error
    for value in (answer.document, answer.views, answer.seen, answer.board, answer.boards):
        _check_value(value, 0)
    return answer


def facts(answer: Answer, players: int, *, joint: bool, has_view: bool) -> Facts:
    """The position that an answer tells of.

    Raises:
        WrongAnswer: a value is missing or fits no position; the message says which.
    """
    if answer.document is None:
        raise WrongAnswer("document is missing")
    acting = answer.acting
    _ascending("acting", acting, players)
    _require(joint or len(acting) <= 1, "several seats act, and the game is not joint")
    _require(len(acting) <= 1 or answer.turn_over, "a joint turn is never under way")
    outcome = _outcome(answer.outcome, players)
    _require((outcome is None) == bool(acting), "outcome is there exactly if no seat acts")
    _require(outcome is None or answer.turn_over, "turn_over is true at the end")
    _require(set(answer.legal) == set(map(str, acting)), "legal has the acting seats as keys")
    if answer.scores is not None:
        _require(len(answer.scores) == players, "scores has one number for each seat")
    if answer.staying is not None:
        _ascending("staying", answer.staying, players)
        _require(set(acting) <= set(answer.staying), "an acting seat is not in staying")
    views = _by_audience("views", answer.views, players)
    wanted: set[int | None] = {None, *range(players)} if has_view else set()
    _require(set(views) == wanted, "views has each seat and spectators, if has_view is set")
    for board in (answer.board, *answer.boards.values()):
        _require(len(canonical(board)) <= MOST_BOARD, f"a board has at most {MOST_BOARD} bytes")
    concealed = _by_audience("concealed", answer.concealed, players)
    for seat, others in concealed.items():
        _ascending("concealed", others, players)
        _require(seat not in others, "concealed never names the seat itself")
    return Facts(
        document=answer.document,
        text=canonical(answer.document),
        acting=acting,
        turn_over=answer.turn_over,
        legal={seat: _legal(answer.legal[str(seat)]) for seat in acting},
        views=views,
        seen=_by_audience("seen", answer.seen, players),
        concealed=concealed,
        board=answer.board,
        boards=_by_audience("boards", answer.boards, players),
        scores=answer.scores,
        outcome=outcome,
        staying=answer.staying,
    )


def _legal(steps: list[tuple[str | int, ...]]) -> list[Step]:
    _require(0 < len(steps) <= MOST_LEGAL, f"an acting seat has 1 to {MOST_LEGAL} legal steps")
    for step in steps:
        _require(0 < len(step) <= MOST_PARTS, f"a step has 1 to {MOST_PARTS} parts")
        _require(isinstance(step[0], str) and step[0] != "", "a step begins with a verb")
        for part in step:
            _require(
                not isinstance(part, str) or (len(part) <= MOST_WORD and part.isprintable()),
                f"the texts of a step are printable, with at most {MOST_WORD} characters",
            )
    try:
        rising = all(before < after for before, after in itertools.pairwise(steps))
    except TypeError as error:
        raise WrongAnswer("steps with one verb have arguments of the same types") from error
    _require(rising, "legal steps are sorted, each once")
    return list(steps)


def _outcome(answer: OutcomeAnswer | None, players: int) -> Outcome | None:
    if answer is None:
        return None
    end = _ENDS.get(answer.termination) or Termination.FORFEIT
    _require(answer.termination == end.value, "termination is none of those that there are")
    ranks = answer.ranking
    _require(len(ranks) == len(answer.scores) == players, "ranking and scores have all seats")
    _require(
        all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks),
        "a rank is 1 plus the number of seats that are better",
    )
    return Outcome(end, ranks, answer.scores)


def _by_audience(name: str, values: Mapping[str, Any], players: int) -> dict[int | None, Any]:
    audiences: dict[str, int | None] = {str(seat): seat for seat in range(players)}
    audiences["spectators"] = None
    _require(set(values) <= set(audiences), f"{name} has seats and 'spectators' as keys")
    return {audiences[key]: value for key, value in values.items()}


def _ascending(name: str, seats: tuple[int, ...], players: int) -> None:
    _require(list(seats) == sorted(set(seats)), f"{name} is ascending, each seat once")
    _require(not seats or seats[-1] < players, f"{name} names a seat that is not there")


def _check_value(value: object, depth: int) -> None:
    _require(depth <= MOST_DEPTH, f"a document is nested at most {MOST_DEPTH} deep")
    if type(value) is int:
        _require(-(2**63) <= value < 2**63, "an integer has at most 64 bits")
    elif isinstance(value, dict):
        for each in value.values():
            _check_value(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _check_value(each, depth + 1)


def _require(condition: bool, sentence: str) -> None:
    if not condition:
        raise WrongAnswer(sentence)
