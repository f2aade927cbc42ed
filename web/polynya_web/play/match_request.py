"""The match that a person asks for: read from the form, or refused in a sentence."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polynya_common.reasons import Reason
from polynya_contest.config.builtin_bots import builtin_names, games_of_builtin
from polynya_games import DEFAULT_GAME, Game, GameError, installed, load
from polynya_protocol.messages import NAME_CHARACTERS
from polynya_server.errors import cause_of_refusal
from polynya_server.match.match_setup import check_game
from polynya_web.play.table_state import RefusedError

GIVEN_NAME = rf"[{NAME_CHARACTERS}]{{1,20}}"
MOVE_MS = (500, 2_000, 5_000, 10_000)
"""Choices of the bots' time for a turn."""
USUAL_MOVE_MS = 2_000
BUILTIN = "builtin:"
CONNECTED = "connected:"
_MAX_OPTION = 1_000


@dataclass(frozen=True, slots=True)
class MatchRequest:
    """A match that a person wants.

    Attributes:
        game: the name of an installed game.
        players: the number of seats.
        seat: the person's, None for any.
        opponents: the others in the order of their seats, each ``builtin:NAME`` or
            ``connected:NAME``.
        options: the game's set-up options.
        move_ms: the time of each turn of the bots.
        name: what the person is called, None for a name by chance.
    """

    game: str
    players: int
    seat: int | None
    opponents: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    move_ms: int = USUAL_MOVE_MS
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice that the form shows: a game and the number of its players."""

    game: Game
    players: int


@functools.cache
def games() -> tuple[Game, ...]:
    """The games to choose from, by title."""
    return tuple(sorted((load(name) for name in installed()), key=lambda game: game.title))


@functools.cache
def builtin_opponents(game: str) -> list[str]:
    """The built-in bots that may know a game: not those that play only others."""
    played = {name: games_of_builtin(name) for name in builtin_names()}
    return [name for name, names in played.items() if names is None or game in names]


def chosen(form: Mapping[str, str]) -> Choice:
    """The requested game and number of players, or the first ones."""
    game = _game(form.get("game", DEFAULT_GAME)) or games()[0]
    least, most = game.min_players, game.max_players
    players = _number(form.get("players", ""), least, most)
    return Choice(game, least if players is None else players)


def read_match_request(form: Mapping[str, str], connected: Container[str]) -> MatchRequest:
    """Read the request of a form; missing fields have defaults.

    Args:
        form: its fields, unchecked.
        connected: the names of the connected bots that a person may play against.

    Raises:
        RefusedError: it is impossible.
    """
    game = _game(form.get("game", ""))
    if game is None:
        raise RefusedError("play.refused.game")
    players = _number(form.get("players", ""), game.min_players, game.max_players)
    if players is None:
        raise RefusedError("play.refused.players", least=game.min_players, most=game.max_players)
    opponents = tuple(form.get(f"opponent{number}", "") for number in range(1, players))
    _check_opponents(opponents, game.name, connected)
    request = MatchRequest(
        game=game.name,
        players=players,
        seat=_seat(form.get("seat", ""), players),
        opponents=opponents,
        options=_options(form, game),
        move_ms=_move_ms(form.get("move_ms", "")),
        name=_name(form.get("name", "").strip()),
    )
    try:
        check_game(game, request.players, 0, request.options)
    except (GameError, RecursionError) as error:
        raise RefusedError(
            "play.refused.options", sentence=cause_of_refusal(error, game.name)
        ) from error
    return request


def _game(name: str) -> Game | None:
    return next((game for game in games() if game.name == name), None)


def _check_opponents(opponents: Sequence[str], game: str, connected: Container[str]) -> None:
    for opponent in opponents:
        kind, _, name = opponent.partition(":")
        there = builtin_opponents(game) if kind == "builtin" else connected
        if kind not in ("builtin", "connected") or name not in there:
            raise RefusedError("play.refused.opponent", name=name[:40])
    named = [opponent for opponent in opponents if opponent.startswith(CONNECTED)]
    if len(set(named)) != len(named):
        raise RefusedError("play.refused.twice")


def _seat(text: str, players: int) -> int | None:
    if text in ("", "any"):
        return None
    seat = _number(text, 0, players - 1)
    if seat is None:
        raise RefusedError("play.refused.seat", most=players - 1)
    return seat


def _move_ms(text: str) -> int:
    found = [move_ms for move_ms in MOVE_MS if str(move_ms) == text]
    return found[0] if found else USUAL_MOVE_MS


def _name(text: str) -> str | None:
    if text and re.fullmatch(GIVEN_NAME, text) is None:
        raise RefusedError("play.refused.name")
    return text or None


def _options(form: Mapping[str, str], game: Game) -> dict[str, Any]:
    texts = {option.name: form.get(f"option.{option.name}", "").strip() for option in game.options}
    return {name: _value(name, text) for name, text in texts.items() if text}


def _value(name: str, text: str) -> Any:
    """JSON, or else text, as on the command line."""
    if len(text) > _MAX_OPTION:
        raise RefusedError("play.refused.options", sentence=Reason.of("too_long", name=name))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _number(text: str, least: int, most: int) -> int | None:
    if re.fullmatch(r"[0-9]{1,3}", text) is None:
        return None
    return int(text) if least <= int(text) <= most else None
