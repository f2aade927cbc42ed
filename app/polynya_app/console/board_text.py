"""The position of a recorded match after one of its turns, for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from polynya_common.errors import ConfigurationError
from polynya_games import Game, State, load
from polynya_games.boards import document_rows
from polynya_games.playthrough import Playthrough
from polynya_games.seats import view
from polynya_protocol.errors import printable
from polynya_server.records import MatchRecord


def board_lines(record: MatchRecord, turn: int, seat: int | None = None) -> Iterator[str]:
    """The board as the game's rows of text, or else the document key by key.

    Args:
        record: the match.
        turn: the number of the turn, 0 for the initial position.
        seat: show what this seat knew; None for everything.

    Raises:
        ConfigurationError: the match has no such turn or seat.
        GameError: the record does not fit the rules.
    """
    game = load(record.setup.game)
    if seat is not None and not 0 <= seat < len(record.setup.players):
        last = len(record.setup.players) - 1
        raise ConfigurationError(f"the seats of this match are 0 to {last}; --seat {seat} is none")
    state = _state_after(game, record, turn)
    document = state.to_json() if seat is None else view(state, seat)
    rows = document_rows(game, document)
    yield from map(printable, _listed(document) if rows is None else rows)


def _state_after(game: Game, record: MatchRecord, turn: int) -> State:
    match = Playthrough(game.state_from_json(record.state))
    state = match.state
    last = max((event.turn for event in record.events), default=0)
    if not 0 <= turn <= last:
        raise ConfigurationError(f"the turns of this match are 0 to {last}; --turn {turn} is none")
    for events, changes in match.follow_all(record.events):
        if events[0].turn > turn:
            break
        state = changes[-1].state
    return state


def _listed(document: Mapping[str, Any]) -> Iterator[str]:
    for key, value in document.items():
        yield f"{key}: {json.dumps(value, ensure_ascii=False)}"
