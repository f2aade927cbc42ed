"""Late entry: bots that take part in a tournament that has begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_common.text import join_words
from polynya_contest.pairing.formats import Entrant, format_of
from polynya_contest.pairing.formats.formats_by_name import SETTINGS
from polynya_store.statements import tournament_by_id
from polynya_store.tournaments.recorded_rounds import Recorded, entrants, recorded
from polynya_store.tournaments.round_recording import add_entrants

MISSED = {"zero": 0.0, "half": 0.5}
"""The points of a late entrant for each round before it entered, by the word for them."""


def enter(
    connection: sa.Connection, tournament_id: int, given: Sequence[Entrant], late_entry: str
) -> None:
    """Let those of the given bots enter that are not entrants yet.

    They enter the next round that is drawn; those that have withdrawn at once do not enter.

    Raises:
        StoreError: the tournament takes no more bots; the message says why.
    """
    row = tournament_by_id(connection, tournament_id)
    known = {one.name for one in entrants(connection, tournament_id)}
    late = [one for one in given if one.name not in known and one.withdrawn is None]
    if not late:
        return
    found = recorded(connection, row)
    number = max((block.round for block in found.blocks), default=0) + 1
    if why := _refusal(found, number):
        names = join_words([one.name for one in late])
        raise StoreError(f"tournament {row.name} takes no late entry of {names}: {why}")
    add_entrants(
        connection,
        tournament_id,
        [
            replace(
                one,
                entered=number,
                entered_after=found.last_number,
                missed=MISSED[late_entry],
            )
            for one in late
        ],
    )


def _refusal(found: Recorded, number: int) -> str:
    description = found.description
    chosen = description["format"]
    settings = msgspec.convert(description.get(chosen, {}), SETTINGS[chosen])
    if why := settings.refuses_late_entry(number):
        return why
    drawn = format_of(description, found.entrants)
    if not found.undecided and not drawn.next_blocks(found.blocks):
        return "it is over"
    return ""
