"""The examples of the API's document are what a real server answers."""

import json
from pathlib import Path

import httpx
import pytest

from tests.api_examples import played, steady
from tests.integration.live_server import copied
from tests.integration.own_server import API, serving
from wenmai.web.api.application import ENDPOINTS
from wenmai.web.dependencies import PREFIX
from wenmai.web.rest.document import document, id_of
from wenmai.web.rest.endpoints import Endpoint
from wenmai.web.rest.examples import FILE, examples

WANTED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=id_of)
def test_every_operation_has_an_example(endpoint: Endpoint) -> None:
    """What was sent and what came back are both of the models that the document describes."""
    example = examples()[id_of(endpoint)]
    query, body = endpoint.models
    if query is not None:
        query.model_validate(example.get("query", {}))
    if body is not None:
        body.model_validate(example["sent"])
    if endpoint.result is not None:
        endpoint.result.model_validate(example["answer"])


def test_the_document_shows_them() -> None:
    paths = document(ENDPOINTS, PREFIX, "1.0", examples())["paths"]
    for known in (one for path in paths.values() for one in path.values()):
        good = next(reply for status, reply in known["responses"].items() if status != "default")
        for kind, content in good.get("content", {}).items():
            assert "example" in content or "examples" in content, (known["operationId"], kind)
        assert all("example" in one for one in known["parameters"] if one["required"]), known["operationId"]
        for content in known.get("requestBody", {}).get("content", {}).values():
            assert "example" in content, known["operationId"]


def test_a_server_answers_the_same(prepared: Path, tmp_path: Path) -> None:
    """`python -m tests.api_examples` writes them anew where a change is wanted."""
    with (
        serving(copied(prepared, tmp_path / "examples")) as live,
        httpx.Client(base_url=live.url + API, timeout=120) as http,
    ):
        for wanted, made in zip(WANTED, played(http, WANTED), strict=True):
            assert steady(made) == steady(wanted), wanted["operation"]
