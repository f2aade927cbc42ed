"""The bots of a Swiss as a pairing system sees them, from their entries round by round."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from polynya_contest.pairing.formats.swiss.field import Float, Player
from polynya_contest.pairing.tie_breaks.history import Entry, Histories


def absent_now(entries: Sequence[Entry]) -> bool:
    """Whether a bot missed its last meeting, and has not come since."""
    met = [entry for entry in entries if entry.opponent is not None]
    return bool(met) and met[-1].kind == "missed"


def players(
    histories: Histories, forbidden: Collection[frozenset[str]], win: float
) -> dict[str, Player]:
    """All bots as a pairing system sees them.

    A bot that has had a bye or a walkover, or that missed its last meeting, has no right to the
    bye (C.04.1, 4).

    Args:
        histories: in the order of the seeding.
        forbidden: pairs that are not to meet.
        win: what a won round gives.
    """
    numbers = {name: number for number, name in enumerate(histories, start=1)}
    before = {name: _scores(entries) for name, entries in histories.items()}
    return {
        name: Player(
            number=numbers[name],
            score=round(2 * sum(entry.score for entry in entries)),
            opponents=frozenset(
                numbers[other]
                for other in numbers
                if frozenset({name, other}) in forbidden
                or any(e.kind == "played" and e.opponent == other for e in entries)
            ),
            bye=not absent_now(entries)
            and all(
                entry.kind != "bye" and (entry.kind != "walkover" or entry.score < win)
                for entry in entries
            ),
            matches=sum(entry.kind == "played" for entry in entries),
            floats=tuple(
                _float(entry, before[name][place], before, place)
                for place, entry in enumerate(entries)
            ),
        )
        for name, entries in histories.items()
    }


def _scores(entries: Sequence[Entry]) -> list[float]:
    """The score before each round."""
    return [sum(entry.score for entry in entries[:place]) for place in range(len(entries))]


def _float(entry: Entry, own: float, before: Mapping[str, Sequence[float]], place: int) -> Float:
    """C.04.3, 1.4: by the scores of the two, or down for points without playing."""
    if entry.kind != "played" or entry.opponent is None:
        return "down" if entry.score > 0 else ""
    other = before[entry.opponent][place]
    return "" if own == other else "down" if own > other else "up"
