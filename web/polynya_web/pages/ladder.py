"""Ladders: the ratings of a pool, and charts of their history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_contest.ratings.pool import CLOCK_CLASSES
from polynya_store import LadderPage, Pool, RatingPoint, Store
from polynya_store.ladder.ladder_repository import LadderState
from polynya_web.content.ladder_orders import Estimates
from polynya_web.content.pool_analyses import choose
from polynya_web.http.parameters import choice, parameter, pool_of_path, selection_of_path
from polynya_web.pages.rendering import page
from polynya_web.site import Site, site_of

ROWS = 12
"""Rows of a table that replaces a chart."""


class Line(msgspec.Struct, frozen=True):
    """One line of a chart.

    Attributes:
        name: what it is called.
        points: seconds since 1970, rating and number of the match, in the order of time.
        samples: some of the points, for the table.
    """

    name: str
    points: list[tuple[int, float, int]]
    samples: list[RatingPoint] = []


def rating_line(store: Store, bot: str, pool: Pool, most: int) -> Line:
    """A bot's rating over time, ``most`` points at the most."""
    history = store.profiles.rating_history(bot, pool, most)
    points = [
        (point.finished_ms // 1000, round(point.rating, 1), point.number) for point in history
    ]
    return Line(bot, points, _samples(history))


def _samples(history: list[RatingPoint]) -> list[RatingPoint]:
    """Pick at most ``ROWS`` points evenly, the last one included."""
    step = -(-len(history) // ROWS) or 1
    return history[::-1][::step][::-1]


PAGE_SIZE = 50
HEADS = 5
"""Bots of each ladder in an overview."""

STATES: tuple[LadderState, ...] = ("ranked", "provisional", "suspended")
LINES = 5
POINTS = 200
"""Bots in a ladder's chart, and maximum number of points of each."""


async def heads(site: Site, pools: Sequence[Pool] | None = None) -> list[LadderPage]:
    """The first bots of each ladder, or of those of these pools."""
    store = site.database
    if pools is None:
        pools = await site.ask(store.ratings.pools)
    estimates = await site.ladder_orders.of_all(store, pools)
    return await site.ask(_heads, store, estimates)


def _heads(store: Store, estimates: Mapping[Pool, Estimates]) -> list[LadderPage]:
    return [store.ladder.page(pool, of_pool, size=HEADS) for pool, of_pool in estimates.items()]


async def ladders(request: Request) -> Response:
    """All ladders, each with its first bots."""
    site = site_of(request)
    secrets = await site.ask(site.database.ladder.public_secrets)
    return page(
        request,
        "ladders.html",
        section="ladder",
        ladders=await heads(site),
        secrets=[one for one in secrets if one.after is not None or one.secret is None][::-1],
    )


async def ladder(request: Request) -> Response:
    """A page of one ladder."""
    site = site_of(request)
    pool = await site.ask(site.database.ratings.largest_pool, *pool_of_path(request))
    name, state = parameter(request, "name") or "", choice(request, "state", STATES)
    found = await site.ask(
        site.database.ladder.search,
        pool,
        await site.ladder_orders.of(site.database, pool),
        name=name,
        state=state,
        before=parameter(request, "before"),
        after=parameter(request, "after"),
        size=PAGE_SIZE,
    )
    lines = await site.ask(_lines, site.database, found)
    return page(
        request,
        "ladder.html",
        section="ladder",
        found=found,
        wanted={"name": name, "state": state},
        states=STATES,
        lines=lines,
        data={"lines": lines},
    )


async def analysis(request: Request) -> Response:
    """The strengths of a ladder's bots from all its results at once, or from a selection."""
    site = site_of(request)
    words = selection_of_path(request)
    chosen = await site.ask(choose, site.database, *words)
    found = await site.pool_analyses.of(site.database, chosen.selection)
    pools = await site.ask(site.database.ratings.pools)
    ratings = [] if found.analysis is None else [one.rating for one in found.analysis.bots]
    return page(
        request,
        "ladder_analysis.html",
        section="ladder",
        chosen=chosen,
        words=words,
        clock_classes=CLOCK_CLASSES,
        games=list(dict.fromkeys((one.game, one.players) for one in pools)),
        found=found,
        open=any(None in (one.low, one.high) for one in ratings),
    )


def _lines(store: Store, found: LadderPage) -> list[Line]:
    lines = [rating_line(store, row.bot, found.pool, POINTS) for row in found.rows[:LINES]]
    return [line for line in lines if line.points]


ROUTES = [
    Route("/ladder", ladders),
    Route("/ladder/{game}/{players:count}", ladder),
    Route("/ladder/{game}/{players:count}/analysis", analysis),
]
