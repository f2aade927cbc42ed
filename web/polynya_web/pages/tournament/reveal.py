"""The reveal of a table that was hidden: from the last place upwards, for a projector.

Everybody sees it once the results are shown; before that, the operator.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_contest.pairing.standings import Standings
from polynya_store import Store
from polynya_store.tournaments.tournament_progress import Terms
from polynya_web.content.path_segments import named
from polynya_web.content.texts import Texts, texts_for
from polynya_web.http.refused import Refused
from polynya_web.pages.operator_frame import private
from polynya_web.pages.rendering import game_title, page
from polynya_web.site import site_of


async def reveal(request: Request) -> Response:
    """The table as it was frozen, and place by place as it is.

    Raises:
        HTTPException: 404, nothing is or was hidden; 403, the results are hidden from this reader.
    """
    site, name = site_of(request), named(request.path_params["name"])
    terms = await site.ask(site.database.tournaments.terms, name)
    if terms.results_from_ms is None:
        raise Refused(404, Reason.of("results_never_hidden"))
    hidden = terms.hidden or terms.frozen
    if hidden and site.sessions.of(request) is None:
        raise Refused(
            403,
            Reason.of("results_hidden_until_reveal"),
        )
    frozen, final = await site.ask(_tables, site.database, name, terms)
    texts = texts_for(request)
    shown = page(
        request,
        "tournament/reveal.html",
        section="tournaments",
        table=final,
        title=game_title(final.game),
        words=texts.starting("reveal.", "projector."),
        data={"frozen": _lines(frozen, texts), "final": _lines(final, texts)},
    )
    return private(shown) if hidden else shown


def _tables(store: Store, name: str, terms: Terms) -> tuple[Standings, Standings]:
    frozen = store.tournaments.standings(name, hidden_since_ms=terms.freezes_ms or 0)
    return frozen, store.tournaments.standings(name)


def _lines(table: Standings, t: Texts) -> list[dict[str, Any]]:
    return [
        {
            "name": row.name,
            "place": row.place,
            "points": row.points,
            "said": _points(row.points, t),
            "games": row.games,
        }
        for row in table.rows
    ]


def _points(points: float, t: Texts) -> str:
    form = "one" if points == 1 else "other"
    return t(f"reveal.points.{form}", number=t.number(points))


ROUTES = [Route("/tournaments/{name}/reveal", reveal)]
