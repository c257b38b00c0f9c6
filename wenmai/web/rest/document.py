"""The document of the API (OpenAPI 3.1), made from its endpoints."""

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from wenmai.web.rest.endpoints import NO_CONTENT, Endpoint
from wenmai.web.rest.problems import MEDIA_TYPE, Problem
from wenmai.web.rest.streams import EVENT_STREAM

JSON = "application/json"
REF = "#/components/schemas/{model}"
SENT = "Server-sent events: `event:` has a name of `x-events`, `data:` its JSON"
PART = re.compile(r"\{(\w+)(?::\w+)?\}")
SECURITY = {"ApiKey": {"type": "http", "scheme": "bearer"}}
Schemas = dict[Any, dict[str, Any]]  # by model


def document(endpoints: Sequence[Endpoint], prefix: str, version: str) -> dict[str, Any]:
    """Return the document."""
    models = {model for one in endpoints for model in (one.models[1], one.result, Problem) if model}
    models |= {event.data for one in endpoints for event in one.events.values()}
    adapters: list[tuple[Any, Any, TypeAdapter[Any]]] = [
        (model, "serialization", TypeAdapter(model)) for model in sorted(models, key=str)
    ]
    known, definitions = TypeAdapter.json_schemas(adapters, ref_template=REF)
    schemas = {model: schema for (model, _), schema in known.items()}
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        path = prefix + PART.sub(r"{\1}", one.path)
        paths.setdefault(path, {})[one.method.lower()] = operation(one, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Wenmai", "version": version},
        "security": [{name: []} for name in SECURITY],
        "paths": paths,
        "components": {"schemas": definitions.get("$defs", {}), "securitySchemes": SECURITY},
    }


def operation(one: Endpoint, schemas: Schemas) -> dict[str, Any]:
    """Return what the document says of an endpoint."""
    query, body = one.models
    told: dict[str, Any] = {
        "operationId": f"{one.handler.__module__.rpartition('.')[2]}_{one.handler.__name__}",
        "summary": one.summary,
        "description": (one.handler.__doc__ or "").strip(),
        "tags": [one.tag],
        "parameters": [*path_parameters(one.path), *query_parameters(query)],
        "responses": responses(one, schemas),
    }
    if body or one.form:
        content = {JSON: {"schema": schemas[body]}} if body else {"multipart/form-data": {"schema": one.form}}
        told["requestBody"] = {"required": True, "content": content}
    return told | ({"security": []} if one.is_open else {})


def responses(one: Endpoint, schemas: Schemas) -> dict[str, Any]:
    """Return what may come back: the result, or a problem."""
    content: dict[str, Any] = {JSON: {"schema": schemas[one.result]}} if one.result else {}
    if one.events:
        content[EVENT_STREAM] = stream(one, schemas)
    status = one.status if content else NO_CONTENT
    good = {"description": one.summary, **({"content": content} if content else {})}
    return {
        str(status): good,
        "default": {"description": "A problem", "content": {MEDIA_TYPE: {"schema": schemas[Problem]}}},
    }


def stream(one: Endpoint, schemas: Schemas) -> dict[str, Any]:
    """Return what the document says of a stream; OpenAPI 3.1 has no words for events, so they have a key of ours."""
    events = {
        name: {"schema": schemas[event.data]} | ({"example": event.example} if event.example is not None else {})
        for name, event in one.events.items()
    }
    shown = "".join(as_sent(name, event.example) for name, event in one.events.items() if event.example is not None)
    examples = {"examples": {"stream": {"value": shown}}} if shown else {}
    return {"schema": {"type": "string", "description": SENT}, **examples, "x-events": events}


def as_sent(name: str, data: Any) -> str:
    """Return an event as it is sent."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def path_parameters(path: str) -> list[dict[str, Any]]:
    """Return the parameters that stand in the path."""
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in PART.findall(path)]


def query_parameters(model: type[BaseModel] | None) -> list[dict[str, Any]]:
    """Return the parameters that stand in the query."""
    if model is None:
        return []
    schema = model.model_json_schema()
    needed = schema.get("required", [])
    return [
        {
            "name": name,
            "in": "query",
            "required": name in needed,
            "description": one.pop("description", ""),
            "schema": one,
        }
        for name, one in schema["properties"].items()
    ]
