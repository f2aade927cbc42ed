"""A tournament's tables, rounds and schedule, and the reveal of a table that was hidden.

Everybody sees it once the results are shown; before that, the operator.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_contest.pairing.standings import Standings
from polynya_contest.pairing.tabulation import (
    figures_after_points,
    ratings_contradict,
    result_counts,
)
from polynya_evidence.reports.bracket_drawing import lay_out
from polynya_store import Store
from polynya_store.tournaments.tournament_progress import Terms
from polynya_web.content.contest_names import game_title
from polynya_web.content.texts import texts_for
from polynya_web.content.tournaments.reveal_lines import reveal_data
from polynya_web.content.tournaments.table_order import (
    ELIMINATIONS,
    has_winner,
    in_order,
    share,
)
from polynya_web.content.tournaments.tallies import totals_of
from polynya_web.content.tournaments.tournament_cache import TournamentSnapshot
from polynya_web.content.tournaments.tournament_state import is_placed, lead_of, state_sentence
from polynya_web.http.parameters import named, page_number, parameter
from polynya_web.http.requests import Refused
from polynya_web.pages.operator_frame import private
from polynya_web.pages.rendering import page
from polynya_web.pages.tournament.downloads import published
from polynya_web.site import site_of

PAGE_SIZE = 50
WIDEST_CROSSTABLE = 60
"""A cross table of more bots is unreadable on any screen."""


async def tournaments(request: Request) -> Response:
    """All tournaments, the newest first."""
    site = site_of(request)
    rows = await site.ask(site.database.tournaments.all)
    return page(request, "tournaments.html", section="tournaments", rows=rows[::-1])


async def standings(request: Request) -> Response:
    """The table of one, the worth of its seats, and forfeits with reasons; not if it is hidden."""
    found = await _snapshot(request)
    if found.hidden_until_ms is not None:
        names = sorted(row.name for row in found.standings.rows)
        return await _page(request, "hidden", found, names=names)
    estimates = {bot.name: bot for bot in found.analysis.bots} if found.analysis else {}
    rows = in_order(found.standings, found.stages, found.challengers)
    bracket = found.standings.format in ELIMINATIONS
    counts = [result_counts(row) for row in rows]
    ratings = {row.name: row.rating for row in rows}
    ratings |= {name: bot.rating.value for name, bot in estimates.items()}
    return await _page(
        request,
        "standings",
        found,
        rows=rows,
        bracket=bracket,
        shares={row.name: share(row, found.standings.players) for row in rows},
        counts=counts,
        results=list(counts[0]) if counts else [],
        more=parameter(request, "columns") == "all",
        empty={name for name in rows[0].figures if all(row.figures[name] is None for row in rows)}
        if rows
        else set(),
        missed=any(row.walkovers or row.missed for row in rows),
        estimates=estimates,
        figures_after=figures_after_points(rows),
        contradicts=not bracket
        and has_winner(found.standings)
        and ratings_contradict(rows, ratings),
        reasons=sorted({why for reasons in found.forfeits.values() for why in reasons}),
    )


async def crosstable(request: Request) -> Response:
    """The cross table; with ``bot`` that bot's opponents one by one."""
    found = await _revealed(request)
    rows = in_order(found.standings, found.stages, found.challengers)
    names = [row.name for row in rows]
    chosen = parameter(request, "bot")
    if chosen is not None and chosen not in names:
        raise Refused(404, Reason.of("not_in_tournament"))
    pairs = found.analysis.pairs if found.analysis else ()
    return await _page(
        request,
        "crosstable",
        found,
        names=names,
        chosen=chosen,
        readable=len(names) <= WIDEST_CROSSTABLE,
        totals=totals_of(found.pairs),
        expected={pair.opponent: pair.expected for pair in pairs if pair.bot == chosen},
    )


async def rounds(request: Request) -> Response:
    """The pairings round by round; a bracket for eliminations."""
    found = await _revealed(request)
    rounds_ = found.standings.rounds
    bracket = found.standings.format in ELIMINATIONS
    return await _page(
        request,
        "rounds",
        found,
        sections=lay_out(rounds_) if bracket else (rounds_,),
        bracket=bracket,
    )


async def schedule(request: Request) -> Response:
    """All matches that were drawn up, by number."""
    site, name = site_of(request), _name(request)
    number = page_number(request)
    found = await _snapshot(request)
    rows = await site.ask(
        site.database.tournaments.schedule_page, name, page=number, size=PAGE_SIZE
    )
    pages = -(-found.progress.drawn // PAGE_SIZE)
    first = found.progress.first_open
    current = None if first is None else 1 + (first - 1) // PAGE_SIZE
    return await _page(
        request, "schedule", found, rows=rows, number=number, pages=pages, current=current
    )


async def progress(request: Request) -> Response:
    """A tournament's progress as JSON, for the script that updates its pages."""
    site = site_of(request)
    name = _name(request)
    found = await site.ask(site.database.tournaments.public_progress, name)
    pace_ms = await site.ask(site.database.tournaments.pace_ms, name)
    return JSONResponse(
        {
            "scheduled": found.to_play,
            "played": found.played,
            "in_play": found.in_play,
            "state": state_sentence(found, pace_ms, texts_for(request)),
        },
        headers={"cache-control": "no-store"},
    )


def _name(request: Request) -> str:
    return named(request.path_params["name"])


async def _snapshot(request: Request) -> TournamentSnapshot:
    site = site_of(request)
    return await site.tournament_cache.of(site.database, _name(request))


async def _revealed(request: Request) -> TournamentSnapshot:
    """The same, for pages that consist of results.

    Raises:
        HTTPException: 403, they are not to be told yet.
    """
    found = await _snapshot(request)
    if found.hidden_until_ms is not None:
        raise Refused(403, Reason.of("results_hidden"))
    return found


async def _page(request: Request, part: str, found: TournamentSnapshot, **values: Any) -> Response:
    site, name = site_of(request), found.standings.tournament
    told = not (found.terms.hidden or found.terms.frozen)
    texts, complete = texts_for(request), found.standings.complete
    pace_ms = await site.ask(site.database.tournaments.pace_ms, name)
    return page(
        request,
        f"tournament/{part}.html",
        report=told and published(site, name, ".html") is not None,
        bundle=told and published(site, name, ".zip") is not None,
        section="tournaments",
        part=part,
        found=found,
        table=found.standings,
        has_winner=has_winner(found.standings),
        placed=is_placed(found),
        state=state_sentence(found.progress, pace_ms, texts, complete=complete),
        lead=lead_of(found, texts),
        **values,
    )


async def reveal(request: Request) -> Response:
    """The frozen table, and the final one place by place.

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
    frozen, final, challengers = await site.ask(_tables, site.database, name, terms)
    texts = texts_for(request)
    shown = page(
        request,
        "tournament/reveal.html",
        section="tournaments",
        table=final,
        title=game_title(final.game),
        words=texts.starting("reveal.", "projector."),
        data=reveal_data(frozen, final, challengers, texts),
    )
    return private(shown) if hidden else shown


def _tables(store: Store, name: str, terms: Terms) -> tuple[Standings, Standings, tuple[str, ...]]:
    frozen = store.tournaments.standings(name, hidden_since_ms=terms.freezes_ms or 0)
    description = store.tournaments.outline(name).description
    challengers = tuple(description.get("gauntlet", {}).get("challengers", ()))
    return frozen, store.tournaments.standings(name), challengers


ROUTES = [
    Route("/tournaments", tournaments),
    Route("/tournaments/{name}", standings),
    Route("/tournaments/{name}/crosstable", crosstable),
    Route("/tournaments/{name}/rounds", rounds),
    Route("/tournaments/{name}/schedule", schedule),
    Route("/tournaments/{name}/progress", progress),
    Route("/tournaments/{name}/reveal", reveal),
]
