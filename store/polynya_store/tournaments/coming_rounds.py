"""Counts the matches of a tournament that are not drawn yet, without reading its results."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.formats import Block, Entrant, format_of
from polynya_contest.pairing.formats.interface import LARGEST_PORTION
from polynya_store import schema
from polynya_store.tournaments.open_pairings import UNDECIDED
from polynya_store.tournaments.recorded_rounds import entrants, recorded

_AT_ONCE = ("round_robin", "gauntlet")
"""The formats that draw a small schedule as a whole."""


@dataclass(frozen=True, slots=True)
class Coming:
    """The part of a tournament that is not drawn yet.

    Attributes:
        matches: the least number of matches that follow, as far as this is known.
        round: the last round that is drawn, from 1; 0 before, and where rounds say nothing.
        rounds: how many there will be; 0 where rounds say nothing.
    """

    matches: int
    round: int = 0
    rounds: int = 0


@lru_cache(maxsize=1_024)
def coming_after(
    configuration: str, field: tuple[Entrant, ...], blocks: int, last_round: int
) -> Coming:
    """The part that follows the first blocks.

    Args:
        configuration: the JSON of the settings that determine the tournament's matches.
        field: its entrants.
        blocks: how many are drawn.
        last_round: the last round of them; 0 without any.
    """
    description = json.loads(configuration)
    drawn = format_of(description, field)
    following = drawn.undrawn(blocks) + drawn.blocks_to_come(last_round)
    rounds = max(drawn.rounds_planned, last_round) if drawn.rounds_planned else 0
    return Coming(following * int(description["players"]), last_round if rounds else 0, rounds)


def coming(connection: sa.Connection, tournament: Any) -> Coming:
    """The part of a tournament (a row of its table) that is not drawn yet.

    Nothing follows if a tournament has ended before its last round.
    """
    pairings = schema.pairings.c
    last = connection.execute(
        sa.select(pairings.number, pairings.block)
        .where(pairings.tournament_id == tournament.id)
        .order_by(pairings.number.desc())
        .limit(1)
    ).first()
    found = coming_after(
        tournament.configuration,
        entrants(connection, tournament.id),
        0 if last is None else last.number // tournament.players,
        0 if last is None else Block(last.block, ()).round,
    )
    if found.rounds and found.matches and last is not None and _has_ended(connection, tournament):
        return Coming(0, found.round, found.rounds)
    return found


def _has_ended(connection: sa.Connection, tournament: Any) -> bool:
    pairings = schema.pairings.c
    undecided = sa.exists().where(
        pairings.tournament_id == tournament.id, pairings.state.in_(UNDECIDED)
    )
    return not connection.scalar(sa.select(undecided)) and recorded(connection, tournament).over


def matches_to_come(connection: sa.Connection, tournament: Any, states: Counter[str]) -> int:
    """The matches that follow, where ``states`` counts the drawn ones.

    A small schedule that was drawn as a whole is not looked at again.
    """
    whole = json.loads(tournament.configuration)["format"] in _AT_ONCE
    if whole and 0 < states.total() < LARGEST_PORTION // 2:
        return 0
    return coming(connection, tournament).matches
