"""Checks the ratings of a bundle against those recomputed from its results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import astuple

from polynya_contest.ratings.model import RatingSettings, Strength, rate_match
from polynya_evidence.bundles.comparison import TOLERANCE, different, same_number
from polynya_evidence.reports.evidence import DrawnMatch, Evidence
from polynya_server.records import MatchSetup
from polynya_store.ratings.rating_repository import Step


def rating_differences(
    settings: RatingSettings, evidence: Evidence, unrated: Container[str] = ()
) -> Iterator[str]:
    """Report, as sentences, where ratings differ from the rating system's.

    A bot's rating before its first match of the tournament is taken as published; so are changes by
    matches outside the tournament that were played meanwhile. The matches ``unrated`` have none.
    """
    for match in evidence.schedule.matches:
        if match.match is None:
            continue
        if match.match in unrated:
            if match.online:
                yield f"{match.match}: it is rated, though its deal could be known before"
        elif len(match.online) != len(match.players):
            yield f"{match.match}: it is not rated"
        else:
            yield from _after(settings, match, evidence.outcomes[match.match].ranking)
    for name, steps in _steps(evidence).items():
        yield from _chain(settings, name, steps)


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


def _steps(evidence: Evidence) -> Mapping[str, list[tuple[str, Step]]]:
    """By bot its matches with the steps of its rating, in the order in which they were rated.

    That is the order of the schedule, except for matches that were played after being given up.
    """
    found: dict[str, list[tuple[str, Step]]] = defaultdict(list)
    for match in evidence.schedule.matches:
        for name, step in zip(match.players, match.online, strict=False):
            found[name].append((str(match.match), step))
    for steps in found.values():
        steps.sort(key=lambda pair: pair[1].before.games)
    return found


def _chain(settings: RatingSettings, name: str, steps: Iterable[tuple[str, Step]]) -> Iterator[str]:
    """Report, as sentences, where a bot's rating does not continue from its last one."""
    known: Strength | None = None
    for match, step in steps:
        where = f"{match}: the online rating of {name} before it"
        games = step.before.games
        if games == 0:
            start = settings.before_games(name)
            yield from different(where, astuple(step.before), astuple(start))
        elif games < (known.games if known is not None else 0):
            yield f"{where} is that after {games} matches, but it had played more"
        elif known is not None and games == known.games:
            yield from different(where, astuple(step.before), astuple(known))
        elif not _is_possible(settings, name, step.before):
            yield f"{where} is impossible: {astuple(step.before)}"
        known = step.after


def _is_possible(settings: RatingSettings, name: str, strength: Strength) -> bool:
    """Whether a bot that has played may have this strength."""
    anchor = settings.anchors.get(name)
    if anchor is not None:
        return (strength.rating, strength.deviation) == (anchor, 0.0)
    least, largest = settings.least_deviation, settings.largest_deviation
    deviation = strength.deviation
    return strength.games > 0 and least - TOLERANCE <= deviation <= largest + TOLERANCE


class PublishedRatings:
    """Checks the ratings in set-ups and in the seeding against those that the bots had.

    A bot that also plays elsewhere has ratings that a bundle does not contain.

    Args:
        evidence: the schedule.
        set_ups: the set-ups of all attempts.
    """

    def __init__(self, evidence: Evidence, set_ups: Iterable[MatchSetup]) -> None:
        self._entered = {one.name: one.rating for one in evidence.schedule.entrants}
        self._steps = _steps(evidence)
        self._set_ups = list(set_ups)

    def differences(self) -> Iterator[str]:
        """Report, as sentences, ratings that the bots cannot have had."""
        yield from (what for name, what in self._unknown() if not self._plays_elsewhere(name))

    def unchecked(self) -> Iterator[str]:
        """Report, with a sentence for each bot that also plays elsewhere, uncheckable ratings."""
        found: dict[str, list[str]] = defaultdict(list)
        for name, what in self._unknown():
            if self._plays_elsewhere(name):
                found[name].append(what)
        for name, said in sorted(found.items()):
            yield (
                f"not checked: ratings of {name}, which has played in other contests meanwhile "
                f"({len(said)}; {said[0]})"
            )

    def _unknown(self) -> Iterator[tuple[str, str]]:
        """The bots with a rating that is none of those before and after their matches."""
        had = {
            name: [figure for _, step in steps for figure in _figures(step)]
            for name, steps in self._steps.items()
        }
        for name, rating in self._entered.items():
            first = had.get(name, [rating])[0]
            if not same_number(rating, first):
                yield name, f"entrants: {name} entered with {rating:g}, but began with {first:g}"
        for setup in self._set_ups:
            for name, shown in zip(setup.players, setup.ratings, strict=False):
                known = [self._entered.get(name, shown), *had.get(name, ())]
                if shown is None or not any(same_number(shown, figure) for figure in known):
                    yield name, f"{setup.match}: the set-up: {shown} is no rating that {name} had"

    def _plays_elsewhere(self, name: str) -> bool:
        """Whether a bot must have played other matches between its entry and its last match."""
        steps = [step for _, step in self._steps.get(name, ())]
        if not steps:
            return False
        first = steps[0].before
        came_changed = first.games > 0 and not same_number(self._entered[name], first.rating)
        games = [step.before.games for step in steps]
        return came_changed or games != list(range(first.games, first.games + len(games)))


def _figures(step: Step) -> tuple[float, float]:
    return step.before.rating, step.after.rating
