"""A bracket laid out: its parts, and each meeting before its winner's next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from polynya_contest.pairing.standings import Meeting, Round

_PARTS = {"losers": 1, "third place": 2}
"""The parts that are drawn below the one with the final, by their row."""


def lay_out(rounds: Sequence[Round]) -> tuple[tuple[Round, ...], ...]:
    """The parts of the bracket, each with its rounds, as a drawing shows them.

    The rounds up to the final come first, the losers' bracket below them, and the match for the
    third place last. In each round the meetings stand in the order of those that their winners
    play next; those whose winner plays no more come last.
    """
    rows: dict[int, list[Round]] = {}
    for round_ in rounds:
        rows.setdefault(_PARTS.get(round_.part, 0), []).append(round_)
    return tuple(_in_order(rows[row]) for row in sorted(rows))


def _in_order(rounds: Sequence[Round]) -> tuple[Round, ...]:
    found: list[Round] = []
    for round_ in reversed(rounds):
        places = _places(found[-1]) if found else {}
        found.append(replace(round_, meetings=_ordered(round_.meetings, places)))
    return tuple(reversed(found))


def _places(round_: Round) -> dict[str, int]:
    """Where each bot, and each meeting, stands in a round."""
    places: dict[str, int] = {}
    for meeting in round_.meetings:
        places[meeting.id] = len(places)
        places |= {name: len(places) + seat for seat, name in enumerate(meeting.players)}
    return places


def _ordered(meetings: Sequence[Meeting], places: dict[str, int]) -> tuple[Meeting, ...]:
    def place(meeting: Meeting) -> int:
        ahead = (*meeting.advancing[:1], *meeting.goes_to[:1])
        return next((places[one] for one in ahead if one in places), len(places))

    return tuple(sorted(meetings, key=place)) if places else tuple(meetings)
