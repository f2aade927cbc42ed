"""Documents and ratings of a bundle against those computed anew: the differences, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple
from itertools import islice
from typing import Any

from polynya_contest.ratings.model import RatingSettings, Strength, rate_match
from polynya_evidence.reports.evidence import DrawnMatch, Evidence

TOLERANCE = 1e-6
"""Numbers that differ by no more, in relation to the larger or in themselves, are the same.

Another version of scipy, or another processor, rounds differently.
"""

MOST = 20
"""How many differences of a document are told: more say nothing new."""


def different(name: str, theirs: Any, ours: Any) -> Iterator[str]:
    """Sentences on what ``theirs`` says and ``ours`` does not, the first ``MOST`` of them."""
    found = _differences(name, theirs, ours)
    yield from islice(found, MOST)
    if next(found, None) is not None:
        yield f"{name}: and more"


def _differences(place: str, theirs: Any, ours: Any) -> Iterator[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            where = f"{place}.{key}"
            if key not in theirs or key not in ours:
                yield f"{where} is " + ("missing" if key in ours else "too much")
            else:
                yield from _differences(where, theirs[key], ours[key])
    elif isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        if len(theirs) != len(ours):
            yield f"{place} has {len(theirs)} entries, the replays give {len(ours)}"
        for number, (one, other) in enumerate(zip(theirs, ours, strict=False)):
            yield from _differences(f"{place}[{number}]", one, other)
    elif not _same(theirs, ours):
        yield f"{place} is {_shown(theirs)}, the replays give {_shown(ours)}"


def _same(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(type(one) is type(other) and one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return repr(value)[:100]


def rating_differences(settings: RatingSettings, evidence: Evidence) -> Iterator[str]:
    """Sentences on what is not as the rating system gives it.

    What a bot's version had before its first match of the tournament is taken as it is published;
    so is what it came to in matches of others that were played meanwhile.
    """
    known: dict[tuple[str, str], Strength] = {}
    for match in evidence.schedule.matches:
        if match.match is None:
            continue
        if len(match.online) != len(match.players):
            yield f"{match.match}: it is not rated"
            continue
        for name, step in zip(match.players, match.online, strict=True):
            where = f"{match.match}: the online rating of {name} before it"
            expected = known.get((name, step.version))
            if expected is not None and expected.games == step.before.games:
                yield from different(where, astuple(step.before), astuple(expected))
            known[name, step.version] = step.after
        yield from _after(settings, match, evidence.outcomes[match.match].ranking)


def _after(settings: RatingSettings, match: DrawnMatch, ranking: tuple[int, ...]) -> Iterator[str]:
    anchors = [settings.anchors.get(name) for name in match.players]
    try:
        computed = rate_match(settings, [step.before for step in match.online], ranking, anchors)
    except ArithmeticError:
        yield f"{match.match}: the online ratings before it are impossible"
        return
    for name, step, strength in zip(match.players, match.online, computed, strict=True):
        where = f"{match.match}: the online rating of {name} after it"
        yield from different(where, astuple(step.after), astuple(strength))
