"""The examples of the API's document are what a real server answers."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types

from tests.api_examples import played, steady
from tests.integration.live_server import copied
from tests.integration.own_server import API, serving
from wenmai.web.api.application import described
from wenmai.web.openapi import EXAMPLES, read_examples
from wenmai.web.own.server import OwnServer

JSON = "application/json"
WANTED = json.loads(EXAMPLES.read_text(encoding="utf-8"))
DOCUMENT = described(OwnServer().application())
OPERATIONS = [(one["operationId"], one) for methods in DOCUMENT["paths"].values() for one in methods.values()]
OPERATIONS = [(id, one) for id, one in OPERATIONS if one.get("tags")]  # beside the API stand the routes of sessions


@pytest.mark.parametrize(("id", "operation"), OPERATIONS, ids=[id for id, _ in OPERATIONS])
def test_every_operation_has_an_example(id: str, operation: dict[str, Any]) -> None:
    """What was sent and what came back are both as the document describes them; it shows them."""
    example = read_examples()[id]
    (good,) = (reply for status, reply in operation["responses"].items() if status[0] == "2")
    for kind, content in good.get("content", {}).items():
        assert "example" in content or "examples" in content, kind
    assert all("example" in one for one in operation.get("parameters", ()) if one["required"])
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        assert "example" in content
        if kind == JSON:
            require_valid(example["sent"], content["schema"])
    if schema := good.get("content", {}).get(JSON, {}).get("schema"):
        require_valid(example["answer"], schema)


def require_valid(value: Any, schema: dict[str, Any]) -> None:
    """Check a value by a schema of the document."""
    Draft202012Validator(schema | {"components": DOCUMENT["components"]}).validate(value)


def test_a_server_answers_the_same(prepared: Path, tmp_path: Path) -> None:
    """`python -m tests.api_examples` writes them anew where a change is wanted."""
    with (
        serving(copied(prepared, tmp_path / "examples")) as live,
        httpx.Client(base_url=live.url + API, timeout=120) as http,
    ):
        for wanted, made in zip(WANTED, played(http, WANTED), strict=True):
            assert steady(made) == steady(wanted), wanted["operation"]
