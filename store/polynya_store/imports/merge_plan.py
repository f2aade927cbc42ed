"""The plan of merging two databases: its bots and matches, and reasons to refuse it.

The first database goes before the second: where both have a thing, the first one's is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import sqlalchemy as sa

from polynya_common.text import shortened
from polynya_protocol.names import folded
from polynya_store import schema
from polynya_store.matches.match_recording import PREFIX as LADDER

_NAMED = 10
_LADDER_MATCH = re.compile(rf"{LADDER}-([0-9]{{1,15}})")


class _Match(NamedTuple):
    """The fields that tell a match from others, and its tournament, None on a ladder."""

    tournament: str | None
    started_ms: int
    finished_ms: int | None
    seed: str
    game: str
    players: int


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of a database, as far as merging looks at them.

    Attributes:
        bots: the hash of the token of each bot, None without one, by name.
        tournaments: what tells each tournament, by name.
        matches: by id.
        uploads: how many programs authors have uploaded.
    """

    bots: Mapping[str, bytes | None]
    tournaments: Mapping[str, tuple[str, int]]
    matches: Mapping[str, _Match]
    uploads: int


@dataclass(frozen=True, slots=True)
class MergePlan:
    """The things that are taken of two databases, and the reasons against merging them.

    Attributes:
        bots: the names of all bots.
        both: those that are in both.
        tournaments: by name which database each is taken from, 0 or 1.
        matches: how many are taken of each database.
        same: how many are in both.
        renamed: the new ids of matches of the second database, by their old ones.
        skipped: the ids of matches that are not taken, of each database.
        uploads: how many programs that authors have uploaded are not taken along.
        refusals: why it cannot be done, in sentences.
    """

    bots: tuple[str, ...]
    both: tuple[str, ...]
    tournaments: Mapping[str, int]
    matches: tuple[int, int]
    same: int
    renamed: Mapping[str, str]
    skipped: tuple[frozenset[str], frozenset[str]]
    uploads: int
    refusals: tuple[str, ...]


def contents(connection: sa.Connection) -> Contents:
    """The contents of an open database."""
    bots, tournaments = schema.bots.c, schema.tournaments.c
    return Contents(
        bots={
            row.name: row.token_hash
            for row in connection.execute(sa.select(bots.name, bots.token_hash))
        },
        tournaments={
            row.name: (row.configuration_hash, row.created_ms)
            for row in connection.execute(
                sa.select(tournaments.name, tournaments.configuration_hash, tournaments.created_ms)
            )
        },
        matches=dict(_matches(connection)),
        uploads=connection.scalar(sa.select(sa.func.count()).select_from(schema.uploads)) or 0,
    )


def _matches(connection: sa.Connection) -> Iterator[tuple[str, _Match]]:
    matches, pairings, tournaments = schema.matches, schema.pairings, schema.tournaments
    rows = connection.execute(
        sa.select(
            matches.c.name,
            tournaments.c.name.label("tournament"),
            *(matches.c[column] for column in _Match._fields[1:]),
        ).select_from(matches.outerjoin(pairings).outerjoin(tournaments))
    )
    for name, *told in rows:
        yield name, _Match(*told)


def plan_merge(first: Contents, second: Contents, *, same_bots: bool) -> MergePlan:
    """The plan for merging two databases.

    Args:
        first: what the first database has.
        second: what the second has.
        same_bots: whether bots of the same name with different tokens are the same bot.
    """
    sides = (first, second)
    refusals = [*_bot_refusals(first, second, same_bots=same_bots)]
    tournaments: dict[str, int] = dict.fromkeys(first.tournaments, 0)
    for name, told in second.tournaments.items():
        if name not in tournaments:
            tournaments[name] = 1
        elif first.tournaments[name] != told:
            refusals.append(
                f"both have a tournament {name}, and they are different ones: of tournaments of "
                "one name only one can be kept"
            )
        else:
            side = _further(name, first, second)
            if side is None:
                refusals.append(
                    f"tournament {name} continued in both databases: its matches cannot be merged"
                )
            tournaments[name] = side or 0
    return _with_matches(sides, tournaments, refusals)


def _bot_refusals(first: Contents, second: Contents, *, same_bots: bool) -> Iterator[str]:
    clashing = sorted(
        name
        for name, token in second.bots.items()
        if token is not None and first.bots.get(name) not in (None, token)
    )
    if clashing and not same_bots:
        yield (
            f"{shortened(clashing, _NAMED)} have different tokens in the two databases: if these "
            "are the same bots, --same-bots keeps the tokens of the first"
        )
    alike = {folded(name): name for name in first.bots}
    for name in sorted(second.bots):
        other = alike.get(folded(name), name)
        if other != name:
            yield (
                f"the bots {other} and {name} differ in the case of letters only: one database "
                "cannot have both"
            )


def _further(tournament: str, first: Contents, second: Contents) -> int | None:
    """The side, 0 or 1, whose copy of a tournament has all that the other has; None for neither."""
    matches = [_of_tournament(tournament, side.matches) for side in (first, second)]
    if matches[1].items() <= matches[0].items():
        return 0
    return 1 if matches[0].items() <= matches[1].items() else None


def _of_tournament(name: str, matches: Mapping[str, _Match]) -> dict[str, _Match]:
    return {match: told for match, told in matches.items() if told.tournament == name}


def _with_matches(
    sides: Sequence[Contents], tournaments: Mapping[str, int], refusals: list[str]
) -> MergePlan:
    first, second = (side.matches for side in sides)
    skipped = tuple(
        {
            name
            for name, told in side.matches.items()
            if told.tournament is not None and tournaments[told.tournament] != number
        }
        for number, side in enumerate(sides)
    )
    renamed: dict[str, str] = {}
    same = sum(first.get(name) == told for name, told in second.items())
    new_names = _new_names({**first, **second})
    for name, told in second.items():
        other = first.get(name)
        if other is None or name in skipped[0] or name in skipped[1]:
            continue
        if other == told:
            skipped[1].add(name)
        elif told.tournament is None:
            renamed[name] = next(new_names) if _LADDER_MATCH.fullmatch(name) else f"{name}-merged"
        else:
            refusals.append(
                f"both have a match {name}, and they are different ones: one of a tournament keeps "
                "its id"
            )
    bots = sorted({*sides[0].bots, *sides[1].bots})
    return MergePlan(
        bots=tuple(bots),
        both=tuple(name for name in bots if all(name in side.bots for side in sides)),
        tournaments=tournaments,
        matches=(len(first) - len(skipped[0]), len(second) - len(skipped[1])),
        same=same,
        renamed=renamed,
        skipped=(frozenset(skipped[0]), frozenset(skipped[1])),
        uploads=sum(side.uploads for side in sides),
        refusals=tuple(refusals),
    )


def _new_names(matches: Iterable[str]) -> Iterator[str]:
    """Ids of ladder matches that no database has."""
    numbers = [int(found[1]) for name in matches if (found := _LADDER_MATCH.fullmatch(name))]
    return (f"{LADDER}-{number}" for number in count(max(numbers, default=0) + 1))
