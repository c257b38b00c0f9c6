"""The schemas of functions, and the strict subset of structured output."""

import re
from collections.abc import Iterator
from typing import Any

from tests.gemini.parts import Json

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
KINDS = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
# Ranges and patterns came later, and not for every model.
STRICT = frozenset({"maxItems"}) | frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs"}
    | {"description", "title"}
)


def function_problems(tool: Json) -> Iterator[str]:
    """Yield what is wrong with one declaration."""
    function = tool.get("function") or {}
    name = function.get("name") or ""
    if tool.get("type") != "function" or not NAME.fullmatch(name):
        yield f"Invalid 'tools[].function.name': {name!r} does not match pattern '^[a-zA-Z0-9_-]+$'."
    if function.keys() - {"name", "description", "parameters", "strict"}:
        yield f"Unrecognized field in the function {name!r}: {sorted(function)}"
    schema = function.get("parameters", {"type": "object", "properties": {}})
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."
    else:
        yield from (f"Invalid schema for function '{name}': {said}" for said in problems(schema, "()"))


def problems(schema: Any, where: str) -> Iterator[str]:
    """Yield what no JSON schema has."""
    if not isinstance(schema, dict):
        yield f"In context={where}, schema must be an object."
        return
    kind = schema.get("type")
    if kind is None and not schema.keys() & {"$ref", "anyOf", "enum", "const"}:
        yield f"In context={where}, schema must have a 'type' key."
    elif kind is not None and kind not in KINDS:
        yield f"{kind!r} is not valid under any of the given schemas"
    if kind == "array" and "items" not in schema:
        yield f"In context={where}, array schema missing items."
    if kind == "object" and not set(schema.get("required") or []) <= set(schema.get("properties") or {}):
        yield f"In context={where}, 'required' names what 'properties' has not."
    for path, child in children(schema, where):
        yield from problems(child, path)


def children(schema: Json, where: str) -> Iterator[tuple[str, Any]]:
    """Yield the schemas inside a schema."""
    for group in ("properties", "$defs"):
        for name, child in (schema.get(group) or {}).items():
            yield f"{where}.{name}", child
    if "items" in schema:
        yield f"{where}[]", schema["items"]
    for child in schema.get("anyOf") or []:
        yield where, child


def strict_problems(schema: Any, where: str = "()") -> Iterator[str]:
    """Yield what is outside the strict subset."""
    if where == "()" and (not isinstance(schema, dict) or schema.get("type") != "object"):
        yield "schema must be a JSON Schema of 'type: \"object\"'."
        return
    yield from problems(schema, where)
    for keyword in schema.keys() - STRICT:
        yield f"In context={where}, '{keyword}' is not permitted."
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"In context={where}, 'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required") or []) != set(schema.get("properties") or {}):
            yield f"In context={where}, 'required' is required to be an array including every key in properties."
    if "$ref" in schema and schema.keys() - {"$ref", "description"}:
        yield f"In context={where}, $ref cannot have keywords beside it."
    for path, child in children(schema, where):
        yield from strict_problems(child, path)
