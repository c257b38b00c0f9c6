"""The document of the API (OpenAPI 3.1): FastAPI's own, with problems, events of streams and examples of a real server.

`examples.json` has requests that were made of a server and what it answered, in their order; `tests/api_examples.py`
makes them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from wenmai.web.problems import MEDIA_TYPE, Problem

EVENT_STREAM = "text/event-stream"
EXAMPLES = Path(__file__).with_name("examples.json")
PART = re.compile(r"\{(\w+)\}")
REF = "#/components/schemas/{model}"
SENT = "Server-sent events: `event:` has a name of `x-events`, `data:` its JSON"
SECURITY = {"ApiKey": {"type": "http", "scheme": "bearer"}}
EVENTS = "x-events"  # OpenAPI 3.1 has no words for events
DEFINITIONS = "x-definitions"  # schemas that events refer to, until they are moved to the components
PROBLEM = {"description": "A problem", "content": {MEDIA_TYPE: {"schema": {"$ref": REF.format(model="Problem")}}}}
OPEN: dict[str, Any] = {"security": []}  # of a route that needs no key: its `openapi_extra`
Example = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a stream: the type of its data, which the docstring describes, and an example of it."""

    data: Any
    example: Any = None


def stream_response(events: Mapping[str, StreamEvent]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that streams events, by name."""
    adapters: list[Any] = [(name, "serialization", TypeAdapter(one.data)) for name, one in events.items()]
    schemas, definitions = TypeAdapter.json_schemas(adapters, ref_template=REF)
    content: dict[str, Any] = {
        "schema": {"type": "string", "description": SENT},
        EVENTS: {
            name: {"schema": schemas[name, "serialization"]}
            | ({"example": one.example} if one.example is not None else {})
            for name, one in events.items()
        },
        DEFINITIONS: definitions.get("$defs", {}),
    }
    examples = [(name, json.dumps(one.example, ensure_ascii=False)) for name, one in events.items() if one.example]
    if examples:
        shown = "".join(f"event: {name}\ndata: {data}\n\n" for name, data in examples)
        content["examples"] = {"stream": {"value": shown}}
    return {200: {"content": {EVENT_STREAM: content}}}


def api_document(app: FastAPI) -> dict[str, Any]:
    """Return the document of an application's routes."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    examples = read_examples()
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= {"Problem": Problem.model_json_schema(mode="serialization", ref_template=REF)}
    for path, operation in operations_of(document):
        add_examples(operation, path, examples.get(operation["operationId"], {}))
        for reply in operation["responses"].values():
            for content in reply.get("content", {}).values():
                schemas |= content.pop(DEFINITIONS, {})
    for name in [*schemas]:
        schemas |= schemas[name].pop("$defs", {})
    document["security"] = [{name: []} for name in SECURITY]
    document["components"]["securitySchemes"] = SECURITY
    return document


def operations_of(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation


def read_examples() -> dict[str, Example]:
    found: dict[str, Example] = {}
    for one in json.loads(EXAMPLES.read_text(encoding="utf-8")):
        found.setdefault(one["operation"], one)
    return found


def add_examples(operation: dict[str, Any], path: str, example: Example) -> None:
    """Show in an operation what was sent and answered; of a stream the examples of its events."""
    route = re.compile(PART.sub(r"(?P<\1>[^/]+)", path[path.find("/", len("/api/")) :]))
    found = route.fullmatch(example.get("path", ""))
    values = {**(found.groupdict() if found else {}), **example.get("query", {})}
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in values:
            parameter["example"] = values[parameter["name"]]
    if "sent" in example:
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content["example"] = example["sent"]
    for status, reply in operation["responses"].items():
        if status != "default" and "answer" in example:
            for content in reply.get("content", {}).values():
                if "examples" not in content and (EVENTS not in content or len(reply["content"]) == 1):
                    content["example"] = example["answer"]
