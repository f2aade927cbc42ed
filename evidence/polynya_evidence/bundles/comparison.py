"""Compares documents of a bundle with recomputed ones; reports differences in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

TOLERANCE = 1e-6
"""Numbers count as equal up to this difference, relative or absolute.

Another version of numpy, or another processor, rounds differently.
"""

ELO_TOLERANCE = 0.005
"""The same for estimates in Elo: the method of 0.3.0 stopped a thousandth before the maximum."""

_ESTIMATES = re.compile(r".*\.analysis\..*\.(?:value|low|high)")

MOST = 20
"""Maximum number of reported differences per document: more add nothing new."""


def different(name: str, theirs: Any, ours: Any) -> Iterator[str]:
    """Compare ``theirs`` with ``ours``; yield the first ``MOST`` differences as sentences."""
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
    elif not (_same(theirs, ours) or _same_estimate(place, theirs, ours)):
        yield f"{place} is {_shown(theirs)}, the replays give {_shown(ours)}"


def _same(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return same_number(one, other)
    return bool(type(one) is type(other) and one == other)


def _same_estimate(place: str, one: Any, other: Any) -> bool:
    if not (_ESTIMATES.fullmatch(place) and _is_number(one) and _is_number(other)):
        return False
    return math.isclose(one, other, rel_tol=0, abs_tol=ELO_TOLERANCE)


def same_number(one: float, other: float) -> bool:
    """Whether two numbers are equal up to rounding."""
    return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return repr(value)[:100]
