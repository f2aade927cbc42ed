"""A bracket laid out: each meeting before the one that its winner goes on to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polynya_tournaments.standings import Meeting, Round


def laid_out(rounds: Sequence[Round]) -> tuple[Round, ...]:
    """The rounds with their meetings in the order in which a drawing shows them.

    The last round stays as it is. In each one before it the meetings stand in the order of those
    that their winners play next; those whose winner plays no more come last.
    """
    found: list[Round] = []
    for round_ in reversed(rounds):
        places = _places(found[-1]) if found else {}
        found.append(replace(round_, meetings=_ordered(round_.meetings, places)))
    return tuple(reversed(found))


def _places(round_: Round) -> dict[str, int]:
    """Where each bot stands in a round."""
    names = [name for meeting in round_.meetings for name in meeting.players]
    return {name: place for place, name in enumerate(names)}


def _ordered(meetings: Sequence[Meeting], places: dict[str, int]) -> tuple[Meeting, ...]:
    def place(meeting: Meeting) -> int:
        return min((places.get(name, len(places)) for name in meeting.advancing[:1]), default=0)

    return tuple(sorted(meetings, key=place)) if places else tuple(meetings)
