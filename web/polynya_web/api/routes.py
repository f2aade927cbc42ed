"""The routes of the API, from the table of its addresses."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from polynya_web.api.endpoints import ENDPOINTS, PREFIX, Endpoint
from polynya_web.api.openapi import document_answer


def _route(path: str, by_method: Mapping[str, Endpoint]) -> Route:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await by_method[method](request)

    return Route(path, answer, methods=[*by_method])


_API = [
    _route(path, {endpoint.method: endpoint for endpoint in endpoints})
    for path, endpoints in groupby(ENDPOINTS, key=lambda endpoint: endpoint.path)
]

ROUTES = [Mount(PREFIX, routes=[Route("/openapi.json", document_answer), *_API])]
