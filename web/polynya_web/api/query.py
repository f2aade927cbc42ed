"""The query parameters of the API: declared once, and read strictly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Literal, TypeVar

import msgspec
from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_common.text import join_words
from polynya_contest.ratings.pool import ClockClass, System
from polynya_protocol.validation_errors import Problem, problem_of
from polynya_web.http.requests import Refused

MAX_PAGES = 1_000_000

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Size = Annotated[int, msgspec.Meta(ge=1, le=200, description="How many entries at the most.")]
Number = Annotated[
    int, msgspec.Meta(ge=1, le=MAX_PAGES, description="The number of the page, from 1.")
]


Variant = Annotated[
    str,
    msgspec.Meta(
        max_length=200, description="The options that are not the usual ones; may be empty."
    ),
]


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters in the query of an address; none unless a subclass has some."""


class Paged(Query, frozen=True):
    """Of a list that has pages."""

    page: Number = 1
    size: Size = 50


class Pinned(Query, frozen=True):
    """Of the television."""

    tournament: (
        Annotated[Name, msgspec.Meta(description="Only matches of this tournament.")] | None
    ) = None
    game: Annotated[Name, msgspec.Meta(description="Only matches of this game.")] | None = None


class FramesQuery(Query, frozen=True):
    """Of the frames of a match."""

    seat: (
        Annotated[
            str,
            msgspec.Meta(
                pattern="^(public|[0-9]{1,3})$",
                description="Only what this seat knew at each turn, or the spectators (`public`). "
                "Of a match that is kept back a seat's view needs the token of its bot.",
            ),
        ]
        | None
    ) = None


class Following(Query, frozen=True):
    """Of events."""

    after: (
        Annotated[
            str,
            msgspec.Meta(
                max_length=100,
                description="The `id` of the last event that was seen: only later ones are sent, "
                "if they are still kept.",
            ),
        ]
        | None
    ) = None
    once: Annotated[
        bool,
        msgspec.Meta(description="End the answer with the latest event."),
    ] = False


class RatingsQuery(Paged, frozen=True):
    """Of a ladder: the rest of its pool."""

    system: Annotated[System, msgspec.Meta(description="The rating system.")] = "elo"
    clock_class: (
        Annotated[ClockClass, msgspec.Meta(description="How long a bot may think in a match.")]
        | None
    ) = None
    variant: Variant | None = None


class AnalysisQuery(Query, frozen=True):
    """Of the results that an analysis is made of."""

    system: Annotated[System, msgspec.Meta(description="Of the ladder meant.")] = "elo"
    clock_class: (
        Annotated[
            ClockClass | Literal["any"],
            msgspec.Meta(description="How long a bot may think in a match; ``any`` for all."),
        ]
        | None
    ) = None
    variant: Variant | None = None
    since: (
        Annotated[date, msgspec.Meta(description="Matches that ended on this day (UTC) or later.")]
        | None
    ) = None
    until: (
        Annotated[date, msgspec.Meta(description="Matches that ended before this day (UTC).")]
        | None
    ) = None


class MatchesQuery(Query, frozen=True):
    """Of the list of matches."""

    game: Annotated[Name, msgspec.Meta(description="Only matches of this game.")] | None = None
    bot: Annotated[Name, msgspec.Meta(description="Only matches of this bot.")] | None = None
    opponent: Annotated[Name, msgspec.Meta(description="Only matches of this bot, too.")] | None = (
        None
    )
    tournament: Annotated[Name, msgspec.Meta(description="Only its matches.")] | None = None
    state: Annotated[
        Literal["in_play", "ended", "any"], msgspec.Meta(description="Only matches in this state.")
    ] = "any"
    older: (
        Annotated[Name, msgspec.Meta(description="The page after the one with this `older`.")]
        | None
    ) = None
    newer: (
        Annotated[Name, msgspec.Meta(description="The one before it; left aside beside ``older``.")]
        | None
    ) = None
    size: Size = 50


Q = TypeVar("Q", bound=Query)


def read_query(request: Request, kind: type[Q]) -> Q:
    """The parameters of a request.

    Raises:
        HTTPException: 400, one is given twice, is unknown, or is out of its range.
    """
    given = request.query_params.multi_items()
    for name, count in Counter(name for name, _ in given).items():
        if count > 1:
            raise Refused(400, Reason.of("parameter_repeated", name=name[:100], count=count))
        if name not in kind.__struct_fields__:
            raise Refused(400, _unknown(name, kind.__struct_fields__))
    values = dict(given)
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(400, _wrong(problem_of(error), values)[:500]) from error


def _wrong(problem: Problem, values: Mapping[str, str]) -> str:
    if problem.missing:
        return f"the parameter {problem.missing} is missing"
    name, why = problem.place, problem.sentence
    return f"the parameter {name} is {values[name][:100]!r}: {why[0].lower()}{why[1:]}"


def _unknown(name: str, known: Sequence[str]) -> str:
    there_are = f"there are {join_words(known)}" if known else "leave it out: there are none here"
    return f"there is no parameter {name[:100]!r}; {there_are}"
