"""What a request asks for: parameters of its query, checked."""

from __future__ import annotations

from typing import cast, get_args

from starlette.exceptions import HTTPException
from starlette.requests import Request

from polynya_tournaments.ratings.model import System

_LONGEST = 200
_LAST_PAGE = 1_000_000


def given(request: Request, key: str) -> str | None:
    """A parameter, without the spaces round it; None if it is empty or not there.

    Raises:
        HTTPException: 400, it is longer than anything that could be meant.
    """
    value = request.query_params.get(key, "").strip()
    if len(value) > _LONGEST:
        raise HTTPException(400, f"{key} is too long; give at most {_LONGEST} characters")
    return value or None


def page_number(request: Request) -> int:
    """The parameter ``page``, from 1; 1 without it.

    Raises:
        HTTPException: 400, it is no such number.
    """
    value = given(request, "page") or "1"
    if not (value.isascii() and value.isdecimal()) or not 1 <= int(value) <= _LAST_PAGE:
        raise HTTPException(400, f"page must be a number from 1 to {_LAST_PAGE}")
    return int(value)


def players_of_path(request: Request) -> int:
    """The part ``players`` of the path.

    Raises:
        HTTPException: 404, no game is played by so many.
    """
    players: int = request.path_params["players"]
    if not 2 <= players <= 4:
        raise HTTPException(404, "matches have 2 to 4 players")
    return players


def system_asked(request: Request) -> System:
    """The parameter ``system``: the kind of ratings; Elo without it.

    Raises:
        HTTPException: 400, there is no such kind.
    """
    system = given(request, "system") or "elo"
    if system not in get_args(System):
        raise HTTPException(400, "system must be elo or openskill")
    return cast("System", system)
