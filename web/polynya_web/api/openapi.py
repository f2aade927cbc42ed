"""The OpenAPI document of the API, made from the table of its addresses and from their types."""

from __future__ import annotations

import functools
import importlib.metadata
import inspect
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from polynya_games import LEAST_PLAYERS, MOST_PLAYERS
from polynya_web.api.endpoints import ENDPOINTS, JSON, PREFIX, Endpoint
from polynya_web.api.query import Query
from polynya_web.api.upload_handlers import FIELD
from polynya_web.content import live_types
from polynya_web.content.match_types import Failure, Value
from polynya_web.http.request_body import FIELDS, FORM
from polynya_web.site import site_of

_PARAMETER = re.compile(r"\{(\w+)(?::(\w+))?\}")
_REFERENCE = "#/components/schemas/{name}"


async def document_answer(request: Request) -> Response:
    """The document, with the path under which the pages stand."""
    base = site_of(request).settings.base
    return JSONResponse(document() | {"servers": [{"url": base + PREFIX}]})


@functools.cache
def document() -> dict[str, Any]:
    """The document, of OpenAPI 3.1."""
    events = [
        kind
        for _, kind in inspect.getmembers(live_types, inspect.isclass)
        if issubclass(kind, Value) and kind.__module__ == live_types.__name__
    ]
    kinds = [*(endpoint.gives for endpoint in ENDPOINTS), Failure, *events]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REFERENCE)
    failure = schemas[len(ENDPOINTS)]
    paths: dict[str, dict[str, Any]] = {}
    for endpoint, schema in zip(ENDPOINTS, schemas, strict=False):
        path = paths.setdefault(_PARAMETER.sub(r"{\1}", endpoint.path), {})
        path[endpoint.method.lower()] = _operation(endpoint, schema, failure)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Polynya",
            "version": importlib.metadata.version("polynya"),
            "description": "The contents of the web pages as JSON, and uploads of bots.  "
            "Only that, and what is for a bot's owner, needs its token.",
        },
        "servers": [{"url": PREFIX}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(
    endpoint: Endpoint, schema: dict[str, Any], failure: dict[str, Any]
) -> dict[str, Any]:
    summary, _, more = inspect.cleandoc(endpoint.answer.__doc__ or "").partition("\n\n")
    if endpoint.gives is bytes:
        schema = {"type": "string", "format": "binary"}
    good = {"description": summary, "content": {endpoint.media_type: {"schema": schema}}}
    bad = {"content": {JSON: {"schema": failure}}}
    operation: dict[str, Any] = {
        "operationId": endpoint.answer.__name__,
        "summary": " ".join(summary.split()).replace("``", ""),
        "tags": [endpoint.path.split("/")[1]],
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint.query)],
        "responses": {
            "200": good,
            **{
                str(status): {"description": HTTPStatus(status).phrase, **bad}
                for status in sorted({400, *endpoint.failures})
            },
        },
    }
    if more:
        operation["description"] = " ".join(more.split())
    if endpoint.takes is not None:
        content = {endpoint.takes: {"schema": _body(endpoint.takes)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _body(media_type: str) -> dict[str, Any]:
    file = {"type": "string", "format": "binary"}
    if media_type == FIELDS:
        texts = {name: {"type": "string"} for name in ("name", "registration")}
        return {"type": "object", "properties": texts, "required": ["name"]}
    if media_type != FORM:
        return file
    return {"type": "object", "properties": {FIELD: file}, "required": [FIELD]}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    kinds: dict[str, dict[str, Any]] = {
        "": {"type": "string", "minLength": 1},
        "count": {"type": "integer", "minimum": LEAST_PLAYERS, "maximum": MOST_PLAYERS},
    }
    return [
        {"name": name, "in": "path", "required": True, "schema": kinds[kind]}
        for name, kind in _PARAMETER.findall(path)
    ]


def _query_parameters(query: type[Query]) -> Sequence[dict[str, Any]]:
    schema = msgspec.json.schema_components([query], ref_template=_REFERENCE)[1][query.__name__]
    required = schema.get("required", [])
    return [
        _query_parameter(name, of) | ({"required": True} if name in required else {})
        for name, of in schema["properties"].items()
    ]


def _query_parameter(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter that may be left out, but is never null."""
    given = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    of = {**given[0]} | {key: value for key, value in schema.items() if key != "anyOf"}
    if of.get("default", 0) is None:
        del of["default"]
    description = of.pop("description", "")
    return {"name": name, "in": "query", "description": description, "schema": of}
