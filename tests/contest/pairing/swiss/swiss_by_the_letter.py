"""The Dutch and the Double-Swiss system written a second time: every candidate, in order.

It knows no matching and no weights: it tries all candidates of a bracket (FIDE Handbook C.04.3 and
C.04.5, 2026), as an arbiter with endless patience would. For fields of about eight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from polynya_contest.pairing.formats.swiss.field import PairedRound, Player, ranked

Pairs = tuple[tuple[Player, Player], ...]


def legal(one: Player, other: Player) -> bool:
    return other.number not in one.opponents and one.number not in other.opponents


def matchings(players: Sequence[Player]) -> Iterator[Pairs]:
    """Every set of legal pairs, also those that leave players out."""
    if not players:
        yield ()
        return
    first, rest = players[0], players[1:]
    yield from matchings(rest)
    for other in rest:
        if legal(first, other):
            for pairs in matchings([one for one in rest if one is not other]):
                yield ((first, other), *pairs)


def completed(players: Sequence[Player], bye_score: int | None) -> bool:
    """[C4] and [C5]: a legal pairing of all exists."""
    if not players:
        return True
    first, rest = players[0], players[1:]
    if len(players) % 2 and first.bye and first.score == bye_score and completed(rest, None):
        return True
    return any(
        legal(first, other) and completed([one for one in rest if one is not other], bye_score)
        for other in rest
    )


def left_out(players: Sequence[Player], pairs: Pairs) -> list[Player]:
    paired = {player.number for two in pairs for player in two}
    return [player for player in players if player.number not in paired]


def candidates(
    moved: Sequence[Player], residents: Sequence[Player], lower: Sequence[Player], bye: int | None
) -> Iterator[Pairs]:
    """The candidates of a bracket after which the round can be completed."""
    for pairs in matchings([*moved, *residents]):
        if all(two[1] not in moved for two in pairs):
            floaters = left_out([*moved, *residents], pairs)
            if completed([*floaters, *lower], bye):
                yield pairs


def size_and_scores(floaters: Sequence[Player]) -> tuple[int, list[int]]:
    """[C6] and [C7]."""
    return len(floaters), sorted((player.score for player in floaters), reverse=True)


def dutch(players: Sequence[Player]) -> PairedRound | None:
    """A round by C.04.3; None if no complete pairing exists."""
    left = ranked(players)
    bye_score = None
    if len(left) % 2:
        possible = [s for s in sorted({p.score for p in left}) if completed(left, s)]
        if not possible:
            return None
        bye_score = possible[0]
    elif not completed(left, None):
        return None
    moved: list[Player] = []
    found: list[tuple[int, int]] = []
    while left:
        residents = [player for player in left if player.score == left[0].score]
        left = left[len(residents) :]
        pairs = _best(moved, residents, left, bye_score)
        found += [(one.number, other.number) for one, other in pairs]
        moved = left_out([*moved, *residents], pairs)
    return PairedRound(tuple(found), moved[0].number if moved else None)


def _best(
    moved: Sequence[Player], residents: Sequence[Player], lower: Sequence[Player], bye: int | None
) -> Pairs:
    following = [player for player in lower if player.score == lower[0].score]

    def criteria(pairs: Pairs) -> tuple[object, ...]:
        floaters = left_out([*moved, *residents], pairs)
        after = min(
            (
                size_and_scores(left_out([*floaters, *following], next_pairs))
                for next_pairs in candidates(floaters, following, lower[len(following) :], bye)
            ),
            default=(),
        )
        with_bye = len(floaters) == 1 and bye is not None and bye >= residents[0].score
        met = [two for two in pairs if two[0] in moved]
        values: list[object] = [after, -floaters[0].matches if with_bye else 0]
        for ago in (1, 2):
            values.append(sum(p in residents and p.floated(ago) == "down" for p in floaters))
            values.append(sum(other.floated(ago) == "up" for _, other in met))
        for ago in (1, 2):
            stays = [p.score for p in floaters if p in moved and p.floated(ago) == "down"]
            values.append(sorted(stays, reverse=True))
            ups = [one.score for one, other in met if other.floated(ago) == "up"]
            values.append(sorted(ups, reverse=True))
        return tuple(values)

    every = list(candidates(moved, residents, lower, bye))
    least = min(size_and_scores(left_out([*moved, *residents], pairs)) for pairs in every)
    best = [p for p in every if size_and_scores(left_out([*moved, *residents], p)) == least]
    return min(best, key=lambda pairs: (criteria(pairs), _generated(moved, residents, pairs)))


def _generated(
    moved: Sequence[Player], residents: Sequence[Player], pairs: Pairs
) -> tuple[object, ...]:
    """When a candidate is generated (3.6 to 4.4); the less, the earlier."""
    met = [two for two in pairs if two[0] in moved]
    rest = [player for player in residents if all(player is not other for _, other in met)]
    inner = sorted((rest.index(one), rest.index(other)) for one, other in pairs if one in rest)
    upper = {one for one, _ in inner}
    original = set(range(len(inner)))
    out, into = original - upper, upper - original
    return (
        [moved.index(one) for one, _ in met],
        [residents.index(other) for _, other in met],
        len(out),
        sum(into) - sum(out),
        [-number for number in sorted(out, reverse=True)],
        sorted(into),
        [other for _, other in inner],
    )


def double_swiss(players: Sequence[Player], *, last_round: bool) -> PairedRound | None:
    """A round by C.04.5; None if no legal pairing exists."""
    left = ranked(players)
    bye = None
    if len(left) % 2:
        possible = [
            player
            for player in left
            if player.bye and completed([one for one in left if one is not player], None)
        ]
        if not possible:
            return None
        bye = min(possible, key=lambda p: (p.score, -p.matches, -p.number))
        left = [player for player in left if player is not bye]
    elif not completed(left, None):
        return None
    found: list[tuple[int, int]] = []
    while left:
        top = [player for player in left if player.score == left[0].score]
        upfloaters = _upfloaters(top, left[len(top) :], last_round=last_round)
        for two in _first_identifier([*top, *upfloaters], top[0].score, last_round=last_round):
            one, other = ranked(two)
            found.append((one.number, other.number))
        left = [p for p in left[len(top) :] if p not in upfloaters]
    return PairedRound(tuple(found), bye.number if bye else None)


def _upfloaters(
    top: Sequence[Player], lower: Sequence[Player], *, last_round: bool
) -> tuple[Player, ...]:
    def following(rest: Sequence[Player]) -> int:
        group = [player for player in rest if player.score == lower[0].score]
        sizes = (
            len(left_out(group, pairs))
            for pairs in matchings(group)
            if completed(left_out(rest, pairs), None)
        )
        return min(sizes)

    def value(chosen: tuple[Player, ...]) -> tuple[object, ...]:
        rest = [player for player in lower if player not in chosen]
        return (
            sorted(-player.score for player in chosen)[::-1],
            following(rest) if rest else 0,
            0 if last_round else sum(bool(player.floated(1)) for player in chosen),
            [lower.index(player) for player in chosen],
        )

    for size in range(len(lower) + 1):
        sets = [
            chosen
            for chosen in combinations(lower, size)
            if completed([p for p in lower if p not in chosen], None)
            and (len(top) + size) % 2 == 0
            and completed([*top, *chosen], None)
        ]
        if sets:
            return min(sets, key=value)
    raise AssertionError


def _first_identifier(bracket: Sequence[Player], top: int, *, last_round: bool) -> Pairs:
    def value(pairs: Pairs) -> tuple[object, ...]:
        floated = sum(
            bool(one.floated(1))
            for two in pairs
            for one, other in (two, two[::-1])
            if other.score < top
        )
        identifier = sorted(sorted(player.number for player in two) for two in pairs)
        return (
            0 if last_round else floated,
            [one for one, _ in identifier],
            [other for _, other in identifier],
        )

    every = [pairs for pairs in matchings(bracket) if 2 * len(pairs) == len(bracket)]
    return min(every, key=value)
