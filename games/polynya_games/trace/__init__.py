"""The rules as a program to talk to: input lines to output lines, as ``polynya trace`` gives them.

Source: rules, "trace". Nothing here reads or writes: the command passes the lines.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from polynya_games.chance import NO_DEAL, deal_from_hex
from polynya_games.errors import GameError, IllegalForfeit, InvalidOption, InvalidState, describe
from polynya_games.game import Game, State
from polynya_games.registry import load
from polynya_games.seats import shows_everything
from polynya_games.trace import seat_lines

_MAX_DIGITS = 1000

MOST_NESTED = 64
"""How deep the lists and objects of a document may be: no rule has any of more than four."""


def is_deeper(document: object, levels: int) -> bool:
    """Whether lists and mappings of a document lie in each other more than ``levels`` deep."""
    level: list[object] = [document]
    for _ in range(levels + 1):
        level = [inner for each in level for inner in _inside(each)]
    return bool(level)


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def start(
    game_name: str,
    players: int,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    state_document: object = None,
    deal: str | None = None,
) -> State:
    """The position that a trace begins with.

    Args:
        game_name: the name of an installed game.
        players: the number of seats.
        seed: decides the set-up, 0 where it is None.
        options: set-up options by name, see :func:`option_value`.
        state_document: the state to start from instead of a set-up, None for none; it excludes
            ``seed``, ``deal`` and ``options``, and its number of players must be ``players``.
        deal: in a game that draws from a secret deal it takes the place of the seed: 64
            hexadecimal digits, zeros where it is None.

    Raises:
        GameError: there is no such game, set-up or state; the message says why.
    """
    game = load(game_name)
    if state_document is None:
        return game.setup(players, _origin(game, seed, deal), options)
    if seed is not None or deal is not None or options:
        raise InvalidOption("a state to start from excludes a seed, a deal and options")
    state = game.state_from_json(state_document)
    if state.players != players:
        raise InvalidState(f"the state is one of {state.players} players, not of {players}")
    return state


def _origin(game: Game, seed: int | None, deal: str | None) -> int | bytes:
    """The origin of the set-up: the seed, or the deal in a game that draws from one."""
    if not game.secret_seed:
        if deal is not None:
            raise InvalidOption(f"{game.title} is set up by a seed, not by a deal")
        return seed or 0
    if seed is not None:
        raise InvalidOption(f"{game.title} is set up by a deal, not by a seed")
    if deal is None:
        return NO_DEAL
    value = deal_from_hex(deal.lower())
    if value is None:
        raise InvalidOption(f"a deal is 64 hexadecimal digits, not {describe(deal)}")
    return value


def option_value(text: str) -> Any:
    """The value of ``--option key=text``: JSON where it parses as JSON, else the text itself.

    Raises:
        InvalidOption: it is JSON that is nested too deeply.
    """
    try:
        return parse_json(text)
    except _TooDeepError as error:
        raise InvalidOption(f"the value of an option: {error}") from None
    except ValueError:
        return text


class _TooDeepError(ValueError):
    def __init__(self) -> None:
        super().__init__(f"it is nested too deeply, {MOST_NESTED} levels are the most")


def parse_json(text: str) -> Any:
    """A JSON document, more strictly than Python reads it.

    Raises:
        ValueError: it is no JSON: numbers that JSON does not have (``NaN``) and a key that occurs
            twice in an object are refused too, as is what is nested too deeply to be read.
    """
    try:
        document = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_no_number,
            parse_int=_integer,
        )
    except RecursionError:
        raise _TooDeepError from None
    if is_deeper(document, MOST_NESTED):
        raise _TooDeepError
    return document


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key occurs twice in an object")
    return document


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"an integer has more than {_MAX_DIGITS} digits")
    return int(digits)


def lines(state: State, input_lines: Iterable[str | bytes]) -> Iterator[str]:
    """The output: the line of the initial position, then one line for each input line.

    Args:
        state: the position to begin with.
        input_lines: lines of text (as bytes: UTF-8) with or without a newline at the end; read one
            at a time, each one after the line before it has been answered.

    Yields:
        JSON documents without a newline. An error in an input line gives
        ``{"error": "…"}``, and the position stays as it was.
    """
    yield json.dumps(_position(state, turn_over=True))
    for number, line in enumerate(input_lines):
        try:
            state, turn_over = _answered(state, line if number else _without_mark(line))
        except GameError as error:
            yield json.dumps({"error": str(error)})
        else:
            yield json.dumps(_position(state, turn_over=turn_over))


def _position(state: State, *, turn_over: bool) -> dict[str, Any]:
    if not shows_everything(state):
        return seat_lines.position(state, turn_over=turn_over)
    document = {"state": state.to_json(), "legal": state.legal_steps(), "turn_over": turn_over}
    outcome = state.outcome
    if outcome is not None:
        document |= {"ranking": outcome.ranking, "scores": outcome.scores}
    return document


def _answered(state: State, line: str | bytes) -> tuple[State, bool]:
    """The position after an input line, and whether a turn is over with it."""
    document = _document(line)
    if not shows_everything(state):
        return seat_lines.answered(state, document)
    verb, argument = _input(document)
    if verb == "step":
        state = state.apply(argument)
        return state, state.turn_over
    if not state.turn_over:
        raise IllegalForfeit("a forfeit is possible only between turns")
    return state.forfeit(argument), True


def _without_mark(line: str | bytes) -> str | bytes:
    """The first line without a byte order mark."""
    if isinstance(line, str):
        return line.removeprefix("\ufeff")
    return line.removeprefix(BOM_UTF8)


def _document(line: str | bytes) -> object:
    if not line.strip():
        raise GameError("the line is blank")
    try:
        return parse_json(line if isinstance(line, str) else line.decode())
    except ValueError as error:
        raise GameError(f"the line is no JSON document: {error}") from error


def _input(document: object) -> tuple[str, Any]:
    """The key and the value of an input line."""
    if not isinstance(document, dict) or list(document) not in (["step"], ["forfeit"]):
        raise GameError(
            f'a line is {{"step": [verb, …]}} or {{"forfeit": seat}}, not {describe(document)}'
        )
    return next(iter(document.items()))
