"""Parameters of the path and the query of a request, checked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple, TypeVar, cast, get_args
from urllib.parse import quote

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_contest.ratings.pool import CLOCK_CLASSES, System
from polynya_games import LEAST_PLAYERS, MOST_PLAYERS, UnknownGame, load
from polynya_web.http.requests import Refused


def segment(name: str) -> str:
    """Encode a name as a path segment; browsers drop ``.`` and ``..`` in any encoding."""
    return f"~{name}" if name in (".", "..") else quote(name, safe="")


def named(part: str) -> str:
    """Decode a path segment of :func:`segment`: no name begins with ``~``."""
    return part.removeprefix("~")


class _Count(IntegerConvertor):
    """Converter for numbers in paths; Python refuses to parse 4,301 digits."""

    regex = "[0-9]{1,9}"


register_url_convertor("count", _Count())

T = TypeVar("T", bound=str)

_MAX_LENGTH = 200
_LAST_PAGE = 1_000_000


def parameter(request: Request, key: str) -> str | None:
    """A parameter, stripped; None if it is empty or missing.

    Raises:
        HTTPException: 400, it is longer than anything that could be meant.
    """
    value = request.query_params.get(key, "").strip()
    if len(value) > _MAX_LENGTH:
        raise Refused(400, Reason.of("parameter_too_long", name=key, most=_MAX_LENGTH))
    return value or None


def choice(request: Request, key: str, choices: Sequence[T]) -> T | None:
    """A parameter that is one of ``choices``; None without it.

    Raises:
        HTTPException: 400, it is none of them.
    """
    value = parameter(request, key)
    found = next((one for one in choices if one == value), None)
    if value is not None and found is None:
        raise Refused(400, Reason.of("bad_choice", name=key, words=[*choices]))
    return found


def page_number(request: Request) -> int:
    """The parameter ``page``, from 1; 1 without it.

    Raises:
        HTTPException: 400, it is no such number.
    """
    value = parameter(request, "page") or "1"
    if not (value.isascii() and value.isdecimal()) or not 1 <= int(value) <= _LAST_PAGE:
        raise Refused(400, Reason.of("bad_page_number", most=_LAST_PAGE))
    return int(value)


class PoolWords(NamedTuple):
    """The pool in an address, in the order of ``RatingRepository.largest_pool``."""

    game: str
    players: int
    system: System
    clock_class: str | None
    variant: str | None


def pool_of_path(request: Request) -> PoolWords:
    """The pool that the parts ``game`` and ``players`` of the path name, and the query.

    Raises:
        HTTPException: 404, the game is not for that number of players.
    """
    return _pool_in_path(request, _clock_class(request))


def _pool_in_path(request: Request, clock_class: str | None) -> PoolWords:
    game, players = request.path_params["game"], request.path_params["players"]
    least, most = _players_of(game)
    if not least <= players <= most:
        raise Refused(404, Reason.of("wrong_player_count", least=least, most=most))
    return _pool_words(request, game, players, clock_class)


ANY_CLOCK = "any"


class SelectionWords(NamedTuple):
    """The selection of results in an address.

    Attributes:
        pool: of a game and a number of players, and what else is named of a pool.
        any_clock: whether matches of all clock classes are meant.
        since, until: days; matches that ended from the one on, and before the other.
    """

    pool: PoolWords
    any_clock: bool
    since: date | None
    until: date | None


def selection_of_path(request: Request) -> SelectionWords:
    """Like :func:`pool_of_path`, but with ``since`` and ``until``; ``clock_class`` may be ``any``.

    Raises:
        HTTPException: 400, one is none of these; 404, the game is not for that number of players.
    """
    any_clock = parameter(request, "clock_class") == ANY_CLOCK
    pool = _pool_in_path(request, None if any_clock else _clock_class(request))
    return SelectionWords(pool, any_clock, _day(request, "since"), _day(request, "until"))


def _day(request: Request, key: str) -> date | None:
    value = parameter(request, key)
    try:
        return None if value is None else date.fromisoformat(value)
    except ValueError as error:
        raise Refused(400, Reason.of("bad_day", name=key)) from error


def pool_of_query(request: Request) -> PoolWords | None:
    """The pool that the parameters name, if there is a ``game`` among them.

    Raises:
        HTTPException: 400, the game is not for that number of players.
    """
    game = parameter(request, "game")
    if game is None:
        return None
    least, most = _players_of(game)
    value = parameter(request, "players") or str(least)
    for players in range(least, most + 1):
        if value == str(players):
            return _pool_words(request, game, players, _clock_class(request))
    raise Refused(400, Reason.of("bad_player_count", least=least, most=most))


def _clock_class(request: Request) -> str | None:
    clock_class = parameter(request, "clock_class")
    if clock_class is not None and clock_class not in CLOCK_CLASSES:
        raise Refused(400, Reason.of("bad_clock_class", words=[*CLOCK_CLASSES]))
    return clock_class


def _pool_words(request: Request, game: str, players: int, clock_class: str | None) -> PoolWords:
    # Given and empty: the usual options.
    variant = parameter(request, "variant") or ("" if "variant" in request.query_params else None)
    return PoolWords(game, players, system_of_query(request), clock_class, variant)


def _players_of(name: str) -> tuple[int, int]:
    """The least and the most players of a game; of a game that is not installed, of any game."""
    try:
        game = load(name)
    except UnknownGame:
        return LEAST_PLAYERS, MOST_PLAYERS
    return game.min_players, game.max_players


def system_of_query(request: Request) -> System:
    """The parameter ``system``: the kind of ratings; Elo without it.

    Raises:
        HTTPException: 400, there is no such kind.
    """
    system = parameter(request, "system") or "elo"
    if system not in get_args(System):
        raise Refused(400, Reason.of("bad_rating_system"))
    return cast("System", system)
