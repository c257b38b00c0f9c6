"""The examples of the API's document are what a real server answers."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema_rs import Draft202012Validator

from tests.api_examples import played, steady
from tests.integration.own_server import API, serving
from tests.temporary import copied
from wenmai.web.app import app
from wenmai.web.openapi import EXAMPLES, operations_of, read_examples

DOCUMENT = app.openapi()
OPERATIONS = {one["operationId"]: one for _, one in operations_of(DOCUMENT)}
WANTED = json.loads(EXAMPLES.read_text(encoding="utf-8"))
JSON = "application/json"


def faults(value: Any, schema: dict[str, Any]) -> list[str]:
    validator = Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    return [one.message for one in validator.iter_errors(value)]


def good_reply(operation: dict[str, Any]) -> dict[str, Any]:
    return next(reply for status, reply in operation["responses"].items() if status != "default")


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_an_example(name: str) -> None:
    """What was sent and what came back are both of the models that the document describes."""
    example, operation, found = read_examples()[name], OPERATIONS[name], list[str]()
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query" and parameter["name"] in example.get("query", {}):
            value = example["query"][parameter["name"]]
            found += faults(json.loads(value) if value in ("true", "false") else value, parameter["schema"])
    if body := operation.get("requestBody", {}).get("content", {}).get(JSON):
        found += faults(example.get("sent", {}), body["schema"])
    if answer := good_reply(operation).get("content", {}).get(JSON):
        found += faults(example["answer"], answer["schema"])
    assert found == []


def test_the_document_shows_them() -> None:
    for name, known in OPERATIONS.items():
        for kind, content in good_reply(known).get("content", {}).items():
            assert "example" in content or "examples" in content, (name, kind)
        assert all("example" in one for one in known.get("parameters", ()) if one["required"]), name
        for content in known.get("requestBody", {}).get("content", {}).values():
            assert "example" in content, name


def test_a_server_answers_the_same(prepared: Path, tmp_path: Path) -> None:
    """`python -m tests.api_examples` writes them anew where a change is wanted."""
    with (
        serving(copied(prepared, tmp_path / "examples")) as live,
        httpx.Client(base_url=live.url + API, timeout=120) as http,
    ):
        for wanted, made in zip(WANTED, played(http, WANTED), strict=True):
            assert steady(made) == steady(wanted), wanted["operation"]
