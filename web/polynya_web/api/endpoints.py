"""The addresses of the API: the one table of which its routes and its document are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from polynya_store.matches.deals import PublicDeal
from polynya_store.recorded_secret import PublicSecret
from polynya_tournaments.tournament.status import TournamentStatus
from polynya_web.api import handlers, process_handlers, upload_handlers
from polynya_web.api.list_types import (
    BotList,
    BotProfile,
    GameView,
    Ladder,
    LadderAnalysis,
    MatchList,
    Schedule,
    TournamentList,
)
from polynya_web.api.process_handlers import ProcessView
from polynya_web.api.query import (
    AnalysisQuery,
    Following,
    FramesQuery,
    MatchesQuery,
    Paged,
    Pinned,
    Query,
    RatingsQuery,
    read_query,
)
from polynya_web.api.upload_handlers import (
    Registration,
    VersionQuery,
    VersionsQuery,
    VersionView,
)
from polynya_web.content.match_types import MatchView, Replay
from polynya_web.http.request_body import FIELDS, FORM
from polynya_web.http.security_headers import FOR_ANY_SITE

PREFIX = "/api/v1"
JSON, EVENTS, BYTES = "application/json", "text/event-stream", "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One address.

    Attributes:
        path: below ``PREFIX``, with ``{name}`` or ``{name:count}`` for its parameters.
        answer: answers it; its docstring says what it gives.
        gives: the type of the answer; text for server-sent events, bytes for a file.
        query: the parameters of its query.
        failures: the status codes it may have besides 200 and 400.
        takes: the media type of the request's body, None for no body.
        changes: whether it changes something, though nothing is sent with the request.
        shared: whether scripts of any site may read it, as the page of a frame with an origin of
            its own (``sandbox``) needs.
    """

    path: str
    answer: Callable[[Request, Any], Awaitable[object]]
    gives: Any
    query: type[Query] = Query
    failures: tuple[int, ...] = ()
    takes: str | None = None
    changes: bool = False
    shared: bool = False

    @property
    def method(self) -> str:
        """POST if the request has a body or changes something, else GET."""
        return "POST" if self.changes or self.takes is not None else "GET"

    @property
    def media_type(self) -> str:
        """Of its answer."""
        return {str: EVENTS, bytes: BYTES}.get(self.gives, JSON)

    async def __call__(self, request: Request) -> Response:
        """Answer a request."""
        try:
            given = await self.answer(request, read_query(request, self.query))
        except HTTPException as refused:
            if self.shared:
                refused.headers = {**(refused.headers or {}), **FOR_ANY_SITE}
            raise
        if isinstance(given, Response):
            if self.shared:
                given.headers.update(FOR_ANY_SITE)
            return given
        headers = {"cache-control": "no-cache"}
        return Response(_encode(given), media_type=JSON, headers=headers)


_encode = msgspec.json.Encoder().encode

OWNED = (403, 404, 429, 503)
"""The failures of requests that a bot's token opens."""

ENDPOINTS = (
    Endpoint("/games", handlers.games, list[GameView]),
    Endpoint("/matches", handlers.matches, MatchList, MatchesQuery, (404, 503)),
    Endpoint("/matches/{match}", handlers.match, MatchView, Query, (404, 503)),
    Endpoint("/matches/{match}/deal", handlers.deal, PublicDeal | None, Query, (404, 503)),
    Endpoint(
        "/matches/{match}/frames",
        handlers.frames,
        Replay,
        FramesQuery,
        (401, *OWNED),
        shared=True,
    ),
    Endpoint(
        "/matches/{match}/processes",
        process_handlers.processes,
        list[ProcessView],
        Query,
        (401, *OWNED),
    ),
    Endpoint("/frames", handlers.frames_of_file, Replay, Query, (413,), BYTES),
    Endpoint("/live", handlers.live, str, Following, (404, 503)),
    Endpoint("/live/{match}", handlers.live_match, str, Following, (404, 503), shared=True),
    Endpoint("/tv", handlers.television, str, Pinned, (404, 503)),
    Endpoint("/ratings/{game}/{players:count}", handlers.ratings, Ladder, RatingsQuery, (404, 503)),
    Endpoint(
        "/ratings/{game}/{players:count}/analysis",
        handlers.analysis,
        LadderAnalysis,
        AnalysisQuery,
        (404, 503),
    ),
    Endpoint("/secrets", handlers.secrets, list[PublicSecret], Query, (503,)),
    Endpoint("/bots", handlers.bots, BotList, Paged, (404, 503)),
    Endpoint(
        "/bots",
        upload_handlers.register_bot,
        Registration,
        Query,
        (403, 404, 409, 413, 429, 503),
        FIELDS,
    ),
    Endpoint("/bots/{bot}", handlers.bot, BotProfile, Query, (404, 503)),
    Endpoint(
        "/bots/{bot}/versions",
        upload_handlers.versions,
        list[VersionView],
        VersionsQuery,
        (401, *OWNED),
    ),
    Endpoint(
        "/bots/{bot}/versions",
        upload_handlers.upload_version,
        VersionView,
        Query,
        (401, 408, 413, *OWNED),
        FORM,
    ),
    Endpoint(
        "/bots/{bot}/versions/archive",
        upload_handlers.archive,
        bytes,
        VersionQuery,
        (401, *OWNED),
    ),
    Endpoint(
        "/bots/{bot}/versions/use",
        upload_handlers.use_version,
        VersionView,
        VersionQuery,
        (401, *OWNED),
        changes=True,
    ),
    Endpoint(
        "/bots/{bot}/versions/remove",
        upload_handlers.remove_version,
        VersionView,
        VersionQuery,
        (401, 409, *OWNED),
        changes=True,
    ),
    Endpoint("/tournaments", handlers.tournaments, TournamentList, Query, (404, 503)),
    Endpoint("/tournaments/{tournament}", handlers.tournament, TournamentStatus, Query, (404, 503)),
    Endpoint("/tournaments/{tournament}/schedule", handlers.schedule, Schedule, Paged, (404, 503)),
)
