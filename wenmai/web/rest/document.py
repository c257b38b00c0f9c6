"""The document of the API (OpenAPI 3.1), made from its endpoints."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from wenmai.web.rest.endpoints import NO_CONTENT, Endpoint
from wenmai.web.rest.examples import PART, Example, values_of
from wenmai.web.rest.problems import MEDIA_TYPE, Problem
from wenmai.web.rest.streams import EVENT_STREAM

JSON = "application/json"
REF = "#/components/schemas/{model}"
SENT = "Server-sent events: `event:` has a name of `x-events`, `data:` its JSON"
SECURITY = {"ApiKey": {"type": "http", "scheme": "bearer"}}
Schemas = dict[Any, dict[str, Any]]  # by model


def document(
    endpoints: Sequence[Endpoint], prefix: str, version: str, examples: Mapping[str, Example]
) -> dict[str, Any]:
    """Return the document; `examples` are by the ids of operations."""
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
        example = examples.get(id_of(one), {})
        paths.setdefault(path, {})[one.method.lower()] = operation(one, schemas, example)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Wenmai", "version": version},
        "security": [{name: []} for name in SECURITY],
        "paths": paths,
        "components": {"schemas": definitions.get("$defs", {}), "securitySchemes": SECURITY},
    }


def id_of(one: Endpoint) -> str:
    """Return the id of an operation."""
    return f"{one.handler.__module__.rpartition('.')[2]}_{one.handler.__name__}"


def operation(one: Endpoint, schemas: Schemas, example: Example) -> dict[str, Any]:
    """Return what the document says of an endpoint."""
    query, body = one.models
    values = values_of(example, one.path)
    told: dict[str, Any] = {
        "operationId": id_of(one),
        "summary": one.summary,
        "description": (one.handler.__doc__ or "").strip(),
        "tags": [one.tag],
        "parameters": [
            parameter | ({"example": values[parameter["name"]]} if parameter["name"] in values else {})
            for parameter in (*path_parameters(one.path), *query_parameters(query))
        ],
        "responses": responses(one, schemas, example),
    }
    if body or one.form:
        kind, schema = (JSON, schemas[body]) if body else ("multipart/form-data", one.form)
        sent = {"example": example["sent"]} if "sent" in example else {}
        told["requestBody"] = {"required": True, "content": {kind: {"schema": schema, **sent}}}
    return told | ({"security": []} if one.is_open else {})


def responses(one: Endpoint, schemas: Schemas, example: Example) -> dict[str, Any]:
    """Return what may come back: the result, or a problem."""
    answered = {"example": example["answer"]} if "answer" in example else {}
    content: dict[str, Any] = {JSON: {"schema": schemas[one.result], **answered}} if one.result else {}
    if one.events:
        content[EVENT_STREAM] = stream(one, schemas) | ({} if one.result else answered)
    elif one.media:
        content[one.media] = {"schema": {"type": "string"}, **answered}
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
