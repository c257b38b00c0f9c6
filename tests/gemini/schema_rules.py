"""The schema subset of declarations and of structured output.

Messages are the service's own where a public report of them was found; the others say the documented rule in its form.
"""

import re
from collections.abc import Iterator

from tests.gemini.fields import PACKAGE
from tests.gemini.parts import Json

TYPES = frozenset({"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"})
FORMATS = {
    "STRING": frozenset({"enum", "date-time"}),
    "NUMBER": frozenset({"float", "double"}),
    "INTEGER": frozenset({"int32", "int64"}),
}
FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
NAME_RULE = (
    "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores "
    "(_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
ONLY_FOR = {"enum": "STRING", "items": "ARRAY", "properties": "OBJECT", "required": "OBJECT"}
MAX_DEPTH = 32  # deeper declarations are refused as too complex; the service gives no number
JSON_SCHEMA = frozenset(
    {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"}
    | {"minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"}
    | {"required", "propertyOrdering", "default", "nullable", "pattern", "minLength", "maxLength", "const"}
)


def declaration_problems(declaration: Json, where: str) -> Iterator[str]:
    """Yield what is wrong with one function declaration."""
    if not FUNCTION_NAME.fullmatch(declaration.get("name") or ""):
        yield f"{where}.name: {NAME_RULE}"
    for field, path in (("parameters", "parameters"), ("response", "response")):
        if declaration.get(field) is not None:
            yield from schema_problems(declaration[field], f"{where}.{path}")
    if declaration.get("parameters") and str(declaration["parameters"].get("type")).upper() != "OBJECT":
        yield f"{where}.parameters.type: functionDeclaration parameters schema should be of type OBJECT."
    if declaration.get("parameters") and declaration.get("parametersJsonSchema"):
        yield f"{where}: parameters and parameters_json_schema are mutually exclusive."
    if declaration.get("parametersJsonSchema") is not None:
        yield from json_schema_problems(declaration["parametersJsonSchema"], f"{where}.parameters_json_schema")


def schema_problems(schema: Json, where: str, depth: int = 0, needs_properties: bool = False) -> Iterator[str]:
    """Yield what is wrong with a Schema and all below it."""
    kind = str(schema.get("type", "")).upper()
    if depth > MAX_DEPTH:
        yield f"{where}: schema is too deeply nested"
        return
    if not kind and not schema.get("anyOf"):
        yield f"{where}.type: must be specified when not using one_of, any_of or all_of fields"
    elif kind and kind not in TYPES:
        yield f"Invalid value at '{where}.type' ({PACKAGE}.Type), \"{schema['type']}\""
    else:
        yield from keyword_problems(schema, kind, where)
    if needs_properties and kind == "OBJECT" and not schema.get("properties"):
        yield f"{where}.properties: should be non-empty for OBJECT type"
    for child, path in children(schema, where):
        yield from schema_problems(child, path, depth + 1, needs_properties)


def children(schema: Json, where: str) -> Iterator[tuple[Json, str]]:
    """Yield the schemas inside a schema."""
    for name, child in (schema.get("properties") or {}).items():
        yield child, f"{where}.properties[{name}]"
    if isinstance(schema.get("items"), dict):
        yield schema["items"], f"{where}.items"
    for number, child in enumerate(schema.get("anyOf") or []):
        yield child, f"{where}.any_of[{number}]"


def keyword_problems(schema: Json, kind: str, where: str) -> Iterator[str]:
    """Yield keywords that do not go with the type."""
    if kind == "ARRAY" and not schema.get("items"):
        yield f"{where}.items: missing field."
    for keyword, needed in ONLY_FOR.items():
        if schema.get(keyword) and kind and kind != needed:
            yield f"{where}.{keyword}: only allowed for {needed} type"
    for number, value in enumerate(schema.get("enum") or []):
        if value == "":
            yield f"{where}.enum[{number}]: cannot be empty"
    allowed = FORMATS.get(kind)
    if allowed and schema.get("format") and schema["format"] not in allowed:
        listed = " and ".join(f"'{one}'" for one in sorted(allowed, reverse=True))
        yield f"{where}.format: only {listed} are supported for {kind} type"
    known = schema.get("properties") or {}
    for number, name in enumerate(schema.get("required") or []):
        if name not in known:
            yield f"{where}.required[{number}]: property is not defined"


def json_schema_problems(schema: object, where: str) -> Iterator[str]:
    """Yield what is wrong with a JSON schema, which may have more keywords than a Schema."""
    if not isinstance(schema, dict):
        yield f"{where}: must be a JSON schema object"
        return
    for keyword in schema.keys() - JSON_SCHEMA:
        yield f"{where}.{keyword}: unsupported keyword"
    if "$ref" in schema and any(not name.startswith("$") for name in schema.keys() - {"description", "default"}):
        yield f"{where}: $ref must not stand beside other keywords"
    if schema.get("type") == "array" and not schema.get("items") and not schema.get("prefixItems"):
        yield f"{where}.items: missing field."
    for group in ("properties", "$defs"):
        for name, child in (schema.get(group) or {}).items():
            yield from json_schema_problems(child, f"{where}.{group}[{name}]")
    for number, child in enumerate([*(schema.get("anyOf") or []), *(schema.get("oneOf") or [])]):
        yield from json_schema_problems(child, f"{where}.any_of[{number}]")
    if schema.get("items"):
        yield from json_schema_problems(schema["items"], f"{where}.items")
