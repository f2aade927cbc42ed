"""The online ratings of a bundle, match by match, from the results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple

from polynya_contest.ratings.model import RatingSettings, Strength, rate_match
from polynya_evidence.bundles.comparison import different
from polynya_evidence.reports.evidence import DrawnMatch, Evidence


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
