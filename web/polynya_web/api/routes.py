"""The routes of the API, from the table of its addresses."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from polynya_web.api.endpoints import ENDPOINTS, PREFIX, Endpoint
from polynya_web.api.openapi import document_answer


def _route(endpoint: Endpoint) -> Route:
    async def answer(request: Request) -> Response:
        return await endpoint(request)

    return Route(endpoint.path, answer, methods=[endpoint.method])


ROUTES = [
    Mount(PREFIX, routes=[Route("/openapi.json", document_answer), *map(_route, ENDPOINTS)]),
]
